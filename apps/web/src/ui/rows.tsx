/** Lists whose entries stand between lines. */
import type { ReactNode } from 'react';

export function Rows({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <ul aria-label={label} className="divide-y divide-line overflow-hidden rounded-lg border bg-surface">
      {children}
    </ul>
  );
}

/** A whole entry that is pressed. */
export const ROW_BUTTON =
  'flex w-full min-w-0 items-center gap-3 px-3.5 py-2.5 text-start -outline-offset-2 hover:bg-hover disabled:opacity-60';
