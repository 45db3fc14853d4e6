/** Things to do with what is under the pointer or has the keyboard: the right button, a long press, Shift+F10. */
import { ContextMenu as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Kbd } from './kbd.tsx';
import { ITEM_LOOK, MENU_LOOK, type MenuItem } from './menu.tsx';
import { useChosenItem } from './use-chosen-item.ts';

interface ContextMenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly children: ReactNode;
  /** Gives the keyboard back. */
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
          className={MENU_LOOK}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            onReturn();
            onClosed();
          }}
        >
          {items.map((item, index) =>
            item === 'separator' ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: separators have nothing else
              <Radix.Separator key={index} className="my-1 h-px bg-line" />
            ) : (
              <Radix.Item
                key={item.id}
                disabled={item.isDisabled ?? false}
                onSelect={() => choose(item.onChoose)}
                className={`${ITEM_LOOK} ${item.isDanger ? 'text-bad' : ''}`}
              >
                {item.icon}
                <span className="grow">{item.label}</span>
                {item.shortcut ? <Kbd keys={item.shortcut} /> : undefined}
              </Radix.Item>
            ),
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
