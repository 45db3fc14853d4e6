/** The head of a panel beside the workspace: what it is, and what can be done with all of it. Also that of its sheet. */
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
