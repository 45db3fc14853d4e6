/** A dropdown menu. Arrow keys, letters, Enter, Escape. */
import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { MENU_LOOK, type MenuItem, MenuItems } from './menu-items.tsx';
import { useChosenItem } from './use-chosen-item.ts';

export type { MenuItem };

interface MenuProps {
  readonly trigger: ReactNode;
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly align?: 'start' | 'end';
  /** Set if something other than the trigger can open it. */
  readonly opening?: MenuOpening | undefined;
}

export interface MenuOpening {
  readonly isOpen: boolean;
  readonly onChange: (isOpen: boolean) => void;
}

export function Menu({ trigger, label, items, align = 'end', opening }: MenuProps) {
  const { choose, onClosed } = useChosenItem();
  return (
    // A modal menu would inject a style to lock the scrolling of a page that does not scroll.
    <Radix.Root modal={false} {...(opening && { open: opening.isOpen, onOpenChange: opening.onChange })}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className={classNames(MENU_LOOK, 'max-h-(--radix-dropdown-menu-content-available-height)')}
          onCloseAutoFocus={onClosed}
        >
          <MenuItems items={items} parts={Radix} onChoose={choose} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
