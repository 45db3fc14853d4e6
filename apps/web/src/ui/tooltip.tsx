/**
 * A short description on hover and focus. Never the only source of an information.
 */
import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Kbd } from './kbd.tsx';

interface TooltipProps {
  readonly text: ReactNode;
  readonly shortcut?: string | undefined;
  readonly side?: 'top' | 'right' | 'bottom' | 'left';
  readonly children: ReactNode;
}

export function Tooltip({ text, shortcut, side = 'top', children }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="pop-in z-50 flex max-w-72 items-center gap-2 rounded-md bg-raised px-2 py-1 text-sm text-ink shadow-raised"
        >
          {text}
          {shortcut ? <Kbd keys={shortcut} /> : undefined}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Mount once at the root. */
export function TooltipProvider({ children }: { readonly children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={450} skipDelayDuration={200}>
      {children}
    </Radix.Provider>
  );
}
