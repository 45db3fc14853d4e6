/** A part of what is known of a node, under its name. */
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
