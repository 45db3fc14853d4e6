/** Rows of lists; arrow keys move the focus between elements with `data-list-item`. */
import { type KeyboardEvent, useEffect, useRef } from 'react';

/** An entry that is a button. */
export const ROW_BUTTON =
  'flex w-full min-w-0 items-center gap-3 px-3.5 py-2.5 text-start -outline-offset-2 hover:bg-hover disabled:opacity-60';

/**
 * A list with a roving Tab stop: arrows, Home and End move between items; Right moves to the buttons next to an item, Left back.
 * Items have `data-list-item`; the buttons next to one have `data-list-action`. Keys pressed in anything else of an item, such as
 * its details, are left alone.
 */
export function useArrowKeys<Element extends HTMLElement>() {
  const list = useRef<Element>(null);
  const itemsOf = (): HTMLElement[] => [
    ...(list.current?.querySelectorAll<HTMLElement>('[data-list-item]') ?? []),
  ];
  // After each change of the list the Tab stop is the focused item, else the current one, else the first.
  useEffect(() => {
    const items = itemsOf();
    const stop =
      items.find((item) => item === document.activeElement) ??
      items.find((item) => item.hasAttribute('aria-current')) ??
      items[0];
    for (const item of items) item.tabIndex = item === stop ? 0 : -1;
    for (const action of list.current?.querySelectorAll<HTMLElement>('[data-list-action]') ?? [])
      action.tabIndex = -1;
  });
  return {
    list,
    onKeyDown: (event: KeyboardEvent): void => {
      const items = itemsOf();
      const at = items.findIndex((item) => item.closest('li')?.contains(event.target as Node));
      const next = nextOf(event, items, at);
      if (!next) return;
      event.preventDefault();
      if (items.includes(next)) for (const item of items) item.tabIndex = item === next ? 0 : -1;
      next.focus();
    },
  };
}

function nextOf(
  { key, target }: KeyboardEvent,
  items: readonly HTMLElement[],
  at: number,
): HTMLElement | undefined {
  const item = items[at];
  const actions = [...(item?.closest('li')?.querySelectorAll<HTMLElement>('[data-list-action]') ?? [])];
  const action = actions.indexOf(target as HTMLElement);
  const isOnItem = item === target;
  if (!isOnItem && action < 0) return undefined;
  switch (key) {
    case 'ArrowDown':
      return isOnItem ? items[at + 1] : undefined;
    case 'ArrowUp':
      return isOnItem ? items[at - 1] : undefined;
    case 'Home':
      return items[0];
    case 'End':
      return items.at(-1);
    case 'ArrowRight':
      return actions[action + 1];
    case 'ArrowLeft':
      return isOnItem ? undefined : (actions[action - 1] ?? item);
    default:
      return undefined;
  }
}
