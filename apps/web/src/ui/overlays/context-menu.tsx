/** Actions for the element under the pointer or with the focus: right click, long press, Shift+F10. */
import { ContextMenu as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { MENU_LOOK, MenuItems, type MenuList, useChosenItem } from './menu.tsx';

interface ContextMenuProps {
  readonly label: string;
  readonly items: MenuList;
  readonly children: ReactNode;
  /** Restores the keyboard focus. */
  readonly onReturn: () => void;
}

export function ContextMenu({ label, items, children, onReturn }: ContextMenuProps) {
  const { choose, onClosed } = useChosenItem();
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          collisionPadding={8}
          className={classNames(MENU_LOOK, 'max-h-(--radix-context-menu-content-available-height)')}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            onReturn();
            onClosed();
          }}
        >
          <MenuItems items={items} parts={Radix} onChoose={choose} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
