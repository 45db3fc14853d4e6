/** Where something is begun: it stays in sight, however much there is to choose above it, with why it could not be. */
import type { ReactNode } from 'react';
import { GoneFolderNote, isFolderGone } from '../start/gone-folder.tsx';
import { FaultNote } from '../ui/fault-note.tsx';

interface StartBarProps {
  readonly projectId: string;
  readonly fault: Error | undefined;
  /** What it was is no more. */
  readonly onMended: () => void;
  readonly children?: ReactNode;
}

export function StartBar({ projectId, fault, onMended, children }: StartBarProps) {
  if (fault === undefined && children === undefined) return undefined;
  return (
    <div className="sticky bottom-0 z-10 -mb-10 flex flex-col gap-3 border-t bg-surface py-3 max-sm:-mx-4 max-sm:px-4">
      {isFolderGone(fault) ? (
        <GoneFolderNote projectId={projectId} onDone={onMended} />
      ) : (
        <FaultNote fault={fault} />
      )}
      {children ? <div className="flex">{children}</div> : undefined}
    </div>
  );
}
