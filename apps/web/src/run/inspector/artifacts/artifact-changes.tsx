/** Each change of a file with the call that made it: expands to its diff and can be undone separately. */
import type { JournalEntry } from '@crewagent/protocol/journal';
import { formatTime } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { Fold } from '../../../ui/fold.tsx';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { useOpenRows } from '../../open-rows.ts';
import { type Move, toSelection } from '../../undo/use-undo.tsx';
import { FileDiffView } from './file-diff-view.tsx';

interface ArtifactChangesProps {
  readonly changes: readonly JournalEntry[];
  /** The run or thread; a change of a called run names its own. */
  readonly workId: string;
  readonly titleOf: (nodeId: string) => string;
  readonly canMove: boolean;
  readonly onMove: Move;
}

export function ArtifactChanges({ changes, workId, titleOf, canMove, onMove }: ArtifactChangesProps) {
  const { t } = useTranslation();
  const { isOpen, toggle } = useOpenRows();
  return (
    <div>
      <h3 className="mb-1 text-sm font-medium text-ink-faint">
        {t('inspector.files.changes', { count: changes.length })}
      </h3>
      <ul className="-ms-1.5 flex flex-col gap-0.5">
        {changes.map((change) => {
          const key = `${change.path}:${change.runId ?? ''}:${change.changeId}`;
          const owner = change.runId ?? workId;
          const direction = change.undone ? 'redo' : 'undo';
          const canBeMoved = change.undone || change.undoable;
          return (
            <li key={key} className="flex items-start gap-1">
              <Fold
                isOpen={isOpen(key)}
                onToggle={() => toggle(key)}
                className="min-w-0 grow"
                summary={<ChangeSummary change={change} titleOf={titleOf} />}
              >
                {() => (
                  <FileDiffView
                    of={{ workId: owner, path: change.path, change: change.changeId, mark: '' }}
                  />
                )}
              </Fold>
              {canBeMoved ? (
                <Button
                  kind="quiet"
                  size="sm"
                  disabled={!canMove}
                  aria-label={t(`inspector.files.${direction}One`, {
                    time: formatTime(change.at),
                    path: toShownLine(change.path).replace(/^@project\//, ''),
                  })}
                  onClick={() => onMove(direction, toSelection(change))}
                >
                  {t(`inspector.files.${direction}`)}
                </Button>
              ) : (
                <span className="py-1 text-xs text-ink-faint">{t('inspector.files.notKept')}</span>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function ChangeSummary({
  change,
  titleOf,
}: Pick<ArtifactChangesProps, 'titleOf'> & { change: JournalEntry }) {
  const { t } = useTranslation();
  const { at, nodeId, kind, undone } = change;
  return (
    <>
      <time dateTime={at} className="shrink-0 text-xs text-ink-faint tabular-nums">
        {formatTime(at)}
      </time>
      <span className="min-w-0 truncate text-sm">
        {t(`inspector.files.kind.${undone ? 'undone' : kind}`)}
        {nodeId === undefined ? '' : ` · ${toShownLine(titleOf(nodeId))}`}
      </span>
    </>
  );
}
