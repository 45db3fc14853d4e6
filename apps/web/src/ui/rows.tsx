/** Lists with dividers between their entries. */
import type { ReactNode } from 'react';

export function Rows({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <ul aria-label={label} className="divide-y divide-line overflow-hidden rounded-lg border bg-surface">
      {children}
    </ul>
  );
}

/** An entry that is a button. */
export const ROW_BUTTON =
  'flex w-full min-w-0 items-center gap-3 px-3.5 py-2.5 text-start -outline-offset-2 hover:bg-hover disabled:opacity-60';
