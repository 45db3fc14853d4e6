/** Why undo or redo failed, or the outcome of each file if not all could be undone. Edits of the user are never overwritten. */
import type { JournalEntry, UndoneFile } from '@crewagent/protocol/journal';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { openFile } from '../../state/open-files.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Note } from '../../ui/note.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { HAS_MOVED, type Moved, type Undo, withLaterChanges } from './use-undo.ts';

interface UndoOutcomeProps {
  readonly projectId: string;
  readonly undo: Undo;
  /** All changes of the run. */
  readonly changes: readonly JournalEntry[];
}

export function UndoOutcome(props: UndoOutcomeProps) {
  const { issue, outcome } = props.undo;
  return (
    <>
      <ErrorNote issue={issue} />
      {outcome ? <FileOutcomes {...props} outcome={outcome} /> : undefined}
    </>
  );
}

function FileOutcomes({ projectId, undo, changes, outcome }: UndoOutcomeProps & { readonly outcome: Moved }) {
  const { direction, files } = outcome;
  const { t } = useTranslation();
  const moved = files.filter((file) => HAS_MOVED.has(file.outcome)).length;
  const hasConflict = files.some((file) => file.outcome === 'conflict');
  const withLater = withLaterChanges(changes, outcome);
  return (
    <Note
      level={hasConflict ? 'warning' : 'info'}
      title={
        moved > 0
          ? t(`inspector.files.partly.${direction}`, { moved, total: files.length })
          : t(`inspector.files.${files.length === 0 ? 'nothing' : 'none'}.${direction}`)
      }
      advice={
        withLater.length > 0
          ? t('changes.laterAdvice')
          : hasConflict
            ? t('inspector.files.conflictAdvice')
            : undefined
      }
      actions={
        <>
          {withLater.length > 0 ? (
            <Button size="sm" kind="primary" onClick={() => undo.run('undo', ...withLater)}>
              {t('changes.undoLater')}
            </Button>
          ) : undefined}
          <Button size="sm" onClick={undo.dismiss}>
            {t('inspector.files.understood')}
          </Button>
        </>
      }
    >
      <UndoneFiles files={files} onOpen={(path) => openFile(projectId, path)} />
    </Note>
  );
}

interface UndoneFilesProps {
  readonly files: readonly UndoneFile[];
  readonly onOpen?: (path: string) => void;
}

/** Each file with its outcome. */
export function UndoneFiles({ files, onOpen }: UndoneFilesProps) {
  const { t } = useTranslation();
  if (files.length === 0) return undefined;
  return (
    <ul className="flex flex-col gap-1">
      {files.map(({ path, outcome, reason, cause }) => {
        const name = toShownLine(path).replace(/^@project\//, '');
        const isThere = outcome !== 'deleted' && outcome !== 'failed';
        return (
          <li key={path} className="flex items-start gap-1.5 text-sm">
            {HAS_MOVED.has(outcome) || outcome === 'unchanged' ? (
              <CircleCheck className="mt-0.5 size-3.5 shrink-0 text-ok" />
            ) : (
              <TriangleAlert className="mt-0.5 size-3.5 shrink-0 text-warn" />
            )}
            <span className="min-w-0 wrap-anywhere">
              {onOpen && isThere ? (
                <button
                  type="button"
                  onClick={() => onOpen(path)}
                  className="rounded-sm text-start font-mono underline"
                >
                  {name}
                </button>
              ) : (
                <bdi className="font-mono">{name}</bdi>
              )}{' '}
              · {cause === undefined ? t(`event.outcome.${outcome}`) : t(`changes.conflict.${cause}`)}
              {reason && outcome === 'failed' ? (
                <span className="block text-ink-faint">{toShownLine(reason)}</span>
              ) : undefined}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
