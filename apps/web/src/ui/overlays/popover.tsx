/** Additional content next to its trigger. */
import { Popover as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

interface PopoverProps {
  readonly trigger: ReactNode;
  readonly label: string;
  readonly children: ReactNode;
  readonly side?: 'top' | 'right' | 'bottom' | 'left';
  readonly align?: 'start' | 'center' | 'end';
  /** Controlled, if something inside closes it. */
  readonly isOpen?: boolean;
  readonly onOpenChange?: (isOpen: boolean) => void;
  /** Moves the focus on close if the trigger cannot receive it; must call `preventDefault`. */
  readonly onCloseFocus?: (event: Event) => void;
}

export function Popover({ trigger, label, children, side = 'bottom', align, ...state }: PopoverProps) {
  const { isOpen, onOpenChange, onCloseFocus } = state;
  return (
    <Radix.Root open={isOpen} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          side={side}
          align={align ?? 'center'}
          sideOffset={6}
          collisionPadding={8}
          onCloseAutoFocus={onCloseFocus}
          className="pop-in z-40 w-72 rounded-lg bg-raised p-3 text-ink shadow-raised outline-none"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
