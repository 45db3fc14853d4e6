/** Items of a menu, however it was opened: actions and separators. */
import type { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { Kbd } from '../kbd.tsx';

export type MenuItem =
  | {
      readonly id: string;
      readonly label: string;
      /** What it means, in a second line. */
      readonly hint?: string;
      readonly icon?: ReactNode;
      readonly shortcut?: string;
      readonly isDanger?: boolean;
      readonly isDisabled?: boolean;
      readonly onChoose: () => void;
    }
  | 'separator';

interface MenuItemsProps {
  readonly items: readonly MenuItem[];
  /** Radix components of the menu's kind. */
  readonly parts: Pick<typeof DropdownMenu, 'Item' | 'Separator'>;
  readonly onChoose: (act: () => void) => void;
}

export function MenuItems({ items, parts: { Item, Separator }, onChoose }: MenuItemsProps) {
  return items.map((item, index) =>
    item === 'separator' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: separators have no other identity
      <Separator key={index} className="my-1 h-px bg-line" />
    ) : (
      <Item
        key={item.id}
        disabled={item.isDisabled ?? false}
        onSelect={() => onChoose(item.onChoose)}
        className={classNames(
          ITEM_LOOK,
          item.hint === undefined ? 'h-7.5 items-center' : 'items-start py-1.5',
          item.isDanger && 'text-bad',
        )}
      >
        {item.icon}
        <span className={classNames('min-w-0 grow', item.hint === undefined && 'truncate')}>
          {item.label}
          {item.hint === undefined ? undefined : (
            <span className="block text-sm text-ink-faint">{item.hint}</span>
          )}
        </span>
        {item.shortcut ? <Kbd keys={item.shortcut} /> : undefined}
      </Item>
    ),
  );
}

/** Look of the menu; it stays within the window, however many items it has. */
export const MENU_LOOK =
  'pop-in z-40 min-w-44 max-w-[min(24rem,92vw)] overflow-y-auto rounded-lg bg-raised p-1 text-ink shadow-raised outline-none';

const ITEM_LOOK =
  'flex cursor-pointer gap-2 rounded-md px-2 outline-none select-none [&_svg]:size-4 [&_svg]:shrink-0 ' +
  'data-disabled:opacity-45 data-highlighted:bg-hover';
