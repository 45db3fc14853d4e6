/** A minor event on one line. */
import type { ReactNode } from 'react';

export function QuietRow({ icon, children }: { readonly icon?: ReactNode; readonly children: ReactNode }) {
  return (
    <p className="flex items-center gap-2 py-1.5 text-sm text-ink-faint wrap-anywhere [&_svg]:size-3.5 [&_svg]:shrink-0">
      {icon}
      <span className="min-w-0">{children}</span>
    </p>
  );
}
