/** A part of a page under a heading of its own. */
import { type ReactNode, useId } from 'react';

interface SectionProps {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, aside, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="mt-9">
      <div className="mb-2.5 flex min-h-8 flex-wrap items-center gap-2">
        <h2 id={id} className="grow text-lg font-semibold">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** A list whose entries stand between lines. */
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
