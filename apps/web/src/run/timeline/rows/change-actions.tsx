/** Actions of a change in the timeline: open the file, undo, redo. */
import { Redo2, Undo2 } from 'lucide-react';
import { useChanges } from '../../../api/inspector-queries.ts';
import { formatTime } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { OpenFileButton } from '../../open-file-button.tsx';
import { changeMarkOf, toArtifacts } from '../../to-artifacts.ts';
import { UndoOutcome, useUndo } from '../../undo/use-undo.tsx';
import type { ChangeLocation } from '../change-scope.ts';

interface ChangeActionsProps {
  readonly location: ChangeLocation;
  readonly callId: string;
}

/** Renders nothing until the journal is loaded, or if the call is not in it. */
export function ChangeActions({ location: { projectId, view }, callId }: ChangeActionsProps) {
  const { t } = useTranslation();
  const { data: changes = [] } = useChanges(view.runId, changeMarkOf(view));
  const undo = useUndo(projectId, view.runId);
  const change = changes.find((known) => known.callId === callId && known.runId === undefined);
  if (!change) return undefined;
  const { path, at, undone, undoable } = change;
  const isThere = toArtifacts(changes).some((file) => file.path === path && file.isThere);
  const isRunning = view.status.kind === 'running';
  const direction = undone ? 'redo' : 'undo';
  const Icon = undone ? Redo2 : Undo2;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-1.5">
        {isThere ? <OpenFileButton projectId={projectId} path={path} /> : undefined}
        {undone || undoable ? (
          <Button
            size="sm"
            icon={<Icon aria-hidden="true" className="size-3.5" />}
            disabled={isRunning}
            isBusy={undo.isBusy}
            title={isRunning ? t('inspector.files.running') : undefined}
            aria-label={t(`inspector.files.${direction}One`, {
              time: formatTime(at),
              path: toShownLine(path).replace(/^@project\//, ''),
            })}
            onClick={() => undo.run(direction, { callId })}
          >
            {t(`inspector.files.${direction}`)}
          </Button>
        ) : undefined}
      </div>
      <UndoOutcome projectId={projectId} undo={undo} changes={changes} />
    </div>
  );
}
