/** A dropdown menu, and the items of every menu. Arrow keys, letters, Enter, Escape. */
import { type LucideIcon, MoreHorizontal } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import { type ComponentProps, type ReactNode, useRef } from 'react';
import { IconButton } from '../button.tsx';
import { classNames } from '../class-names.ts';
import { Kbd } from '../kbd.tsx';

interface MenuProps {
  readonly trigger: ReactNode;
  readonly label: string;
  readonly items: MenuList;
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

interface MoreMenuProps extends Omit<ComponentProps<typeof IconButton>, 'children' | 'hasTooltip'> {
  readonly items: MenuList;
}

/** A menu behind a button with three dots. */
export function MoreMenu({ items, ...button }: MoreMenuProps) {
  return (
    <Menu
      label={button.label}
      items={items}
      trigger={
        <IconButton {...button} hasTooltip={false}>
          <MoreHorizontal />
        </IconButton>
      }
    />
  );
}

export interface MenuItem {
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

/** An item with an icon. */
export function menuItem(
  id: string,
  Icon: LucideIcon,
  label: string,
  onChoose: () => void,
  more?: Pick<MenuItem, 'shortcut' | 'isDanger' | 'isDisabled'>,
): MenuItem {
  return { id, label, icon: <Icon />, onChoose, ...more };
}

/** False stands for an item that is left out, and separators without items on both sides are. */
export type MenuList = readonly (MenuItem | 'separator' | false)[];

function withoutLooseSeparators(list: MenuList): readonly (MenuItem | 'separator')[] {
  const isItem = (item: MenuList[number] | undefined): boolean => item !== 'separator' && Boolean(item);
  const items = list.filter((item) => item !== false);
  return items.filter(
    (item, index) => isItem(item) || (isItem(items[index + 1]) && items.slice(0, index).some(isItem)),
  );
}

interface MenuItemsProps {
  readonly items: MenuList;
  /** Radix components of the menu's kind. */
  readonly parts: Pick<typeof Radix, 'Item' | 'Separator'>;
  readonly onChoose: (act: () => void) => void;
}

/** Items of a menu, however it was opened: actions and separators. */
export function MenuItems({ items, parts: { Item, Separator }, onChoose }: MenuItemsProps) {
  return withoutLooseSeparators(items).map((item, index) =>
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
  'pop-in z-60 min-w-44 max-w-[min(24rem,92vw)] overflow-y-auto rounded-lg bg-raised p-1 text-ink shadow-raised outline-none';

const ITEM_LOOK =
  'flex cursor-pointer gap-2 rounded-md px-2 outline-none select-none [&_svg]:size-4 [&_svg]:shrink-0 ' +
  'data-disabled:opacity-45 data-highlighted:bg-hover';

/**
 * Runs the chosen menu item after the menu has closed and restored the focus, so that a dialog opened by it returns the focus to
 * the right element.
 */
export function useChosenItem() {
  const chosen = useRef<() => void>(undefined);
  return {
    choose: (act: () => void): void => {
      chosen.current = act;
    },
    onClosed: (): void => {
      const act = chosen.current;
      chosen.current = undefined;
      if (act) setTimeout(act);
    },
  };
}
