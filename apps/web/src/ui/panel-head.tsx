/** Heading of a side panel, with the panel's actions. Also used in its sheet. */
import type { ReactNode } from 'react';

interface PanelHeadProps {
  readonly title: string;
  readonly children?: ReactNode;
}

export function PanelHead({ title, children }: PanelHeadProps) {
  return (
    <div className="flex h-10 shrink-0 items-center gap-0.5 border-b ps-3 pe-1.5 in-data-sheet:pe-11 pointer-coarse:h-11">
      <h2 className="min-w-0 grow truncate font-medium">{title}</h2>
      {children}
    </div>
  );
}
