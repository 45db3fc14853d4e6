/** A titled section of a node's details. */
import type { ReactNode } from 'react';

interface NodePartProps {
  readonly title: string;
  readonly children: ReactNode;
}

export function NodePart({ title, children }: NodePartProps) {
  return (
    <div>
      <h4 className="mb-1 text-sm font-medium text-ink-faint">{title}</h4>
      {children}
    </div>
  );
}
