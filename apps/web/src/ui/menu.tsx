/** Things to do with something. Arrow keys, letters, Enter, Escape. */
import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { Kbd } from './kbd.tsx';
import { useChosenItem } from './use-chosen-item.ts';

export type MenuItem =
  | {
      readonly id: string;
      readonly label: string;
      readonly icon?: ReactNode;
      readonly shortcut?: string;
      readonly isDanger?: boolean;
      readonly isDisabled?: boolean;
      readonly onChoose: () => void;
    }
  | 'separator';

interface MenuProps {
  readonly trigger: ReactNode;
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly align?: 'start' | 'end';
}

export function Menu({ trigger, label, items, align = 'end' }: MenuProps) {
  const { choose, onClosed } = useChosenItem();
  return (
    // A modal menu would inject a style to lock the scrolling of a page that does not scroll.
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className={classNames(MENU_LOOK, IN_SIGHT)}
          onCloseAutoFocus={onClosed}
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
                className={classNames(ITEM_LOOK, item.isDanger && 'text-bad')}
              >
                {item.icon}
                <span className="min-w-0 grow truncate">{item.label}</span>
                {item.shortcut ? <Kbd keys={item.shortcut} /> : undefined}
              </Radix.Item>
            ),
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export const MENU_LOOK = 'pop-in z-40 min-w-44 rounded-lg bg-raised p-1 text-ink shadow-raised outline-none';

/** However many there are. */
const IN_SIGHT =
  'max-h-(--radix-dropdown-menu-content-available-height) max-w-[min(24rem,92vw)] overflow-y-auto';

export const ITEM_LOOK =
  'flex h-7.5 cursor-pointer items-center gap-2 rounded-md px-2 outline-none select-none [&_svg]:size-4 ' +
  'data-disabled:opacity-45 data-highlighted:bg-hover';
