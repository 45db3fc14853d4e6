/** Bar with the Start button; stays visible below the options, and shows why starting failed. */
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { GoneFolderNote, isFolderGone } from '../../projects/gone-folder.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';

interface StartBarProps {
  readonly projectId: string;
  readonly issue: Error | undefined;
  /** The cause of the error was fixed. */
  readonly onFixed: () => void;
  readonly children?: ReactNode;
}

export function StartBar({ projectId, issue, onFixed, children }: StartBarProps) {
  if (issue === undefined && children === undefined) return undefined;
  return (
    <div className="sticky bottom-0 z-10 -mb-10 flex flex-col gap-3 border-t bg-surface py-3 max-sm:-mx-4 max-sm:px-4">
      {isFolderGone(issue) ? (
        <GoneFolderNote projectId={projectId} onDone={onFixed} />
      ) : (
        <ErrorNote issue={issue} />
      )}
      {children ? <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5">{children}</div> : undefined}
    </div>
  );
}

interface MissingNoteProps {
  /** Id of the element where it can be fixed. */
  readonly targetId: string;
  /** How much is missing: nothing is shown for none. */
  readonly count?: number;
  readonly onPress?: () => void;
  readonly children: ReactNode;
}

/** What is missing before the start; a click leads to it. */
export function MissingNote({ targetId, count = 1, onPress, children }: MissingNoteProps) {
  if (count === 0) return undefined;
  return (
    <Button
      kind="quiet"
      className="text-warn"
      icon={<TriangleAlert className="size-3.5 shrink-0" />}
      onClick={() => {
        onPress?.();
        const element = document.getElementById(targetId);
        element?.scrollIntoView({ block: 'center' });
        element?.focus({ preventScroll: true });
      }}
    >
      {children}
    </Button>
  );
}
