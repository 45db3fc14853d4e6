/** Lists with lines between their entries; arrow keys move the focus between elements with `data-list-item`. */
import type { ReactNode } from 'react';
import { useArrowKeys } from './use-arrow-keys.ts';

export function Rows({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const { list, onKeyDown } = useArrowKeys<HTMLUListElement>();
  return (
    <ul
      ref={list}
      onKeyDown={onKeyDown}
      aria-label={label}
      className="divide-y divide-line overflow-hidden rounded-lg border bg-surface"
    >
      {children}
    </ul>
  );
}

/** An entry that is a button. */
export const ROW_BUTTON =
  'flex w-full min-w-0 items-center gap-3 px-3.5 py-2.5 text-start -outline-offset-2 hover:bg-hover disabled:opacity-60';
