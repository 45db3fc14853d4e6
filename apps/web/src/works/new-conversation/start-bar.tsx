/** Where something is begun: it stays in sight, however much there is to choose above it, with why it could not be. */
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { GoneFolderNote, isFolderGone } from '../../projects/gone-folder.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';

interface StartBarProps {
  readonly projectId: string;
  readonly issue: Error | undefined;
  /** What it was is no more. */
  readonly onMended: () => void;
  readonly children?: ReactNode;
}

export function StartBar({ projectId, issue, onMended, children }: StartBarProps) {
  if (issue === undefined && children === undefined) return undefined;
  return (
    <div className="sticky bottom-0 z-10 -mb-10 flex flex-col gap-3 border-t bg-surface py-3 max-sm:-mx-4 max-sm:px-4">
      {isFolderGone(issue) ? (
        <GoneFolderNote projectId={projectId} onDone={onMended} />
      ) : (
        <ErrorNote issue={issue} />
      )}
      {children ? <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5">{children}</div> : undefined}
    </div>
  );
}

interface LackProps {
  /** The id of where it is seen to. */
  readonly place: string;
  readonly onPress?: () => void;
  readonly children: ReactNode;
}

/** What is still wanting, beside the button; a press leads to it. */
export function Lack({ place, onPress, children }: LackProps) {
  return (
    <Button
      kind="quiet"
      className="text-warn"
      icon={<TriangleAlert aria-hidden="true" className="size-3.5 shrink-0" />}
      onClick={() => {
        onPress?.();
        const element = document.getElementById(place);
        element?.scrollIntoView({ block: 'center' });
        element?.focus({ preventScroll: true });
      }}
    >
      {children}
    </Button>
  );
}
