/** Undoes and redoes changes, with the outcome of each file. */

import type { JournalEntry, UndoneFile, UndoSelection } from '@crewagent/protocol/journal';
import { HAS_MOVED, isUndone } from '@crewagent/protocol/story/describe-item';
import { useQueryClient } from '@tanstack/react-query';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { useTranslation } from '../../i18n/use-translation.ts';
import { openFile } from '../../state/open-files.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Note } from '../../ui/note.tsx';
import { useToasts } from '../../ui/overlays/toast-store.ts';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { useAction } from '../../ui/use-action.ts';
import { toShownPath } from '../shown-names.ts';

export type Direction = 'undo' | 'redo';

/** Several selections are applied in order. */
export type Move = (direction: Direction, ...selections: UndoSelection[]) => void;

interface Moved {
  readonly direction: Direction;
  readonly selection: UndoSelection;
  readonly files: readonly UndoneFile[];
}

const OPPOSITE = { undo: 'redo', redo: 'undo' } as const;

export function useUndo(projectId: string, workId: string) {
  const { t } = useTranslation();
  const client = useApi();
  const queries = useQueryClient();
  const show = useToasts((toasts) => toasts.show);
  const [outcome, setOutcome] = useState<Moved>();
  const { run, isBusy, issue } = useAction(async (direction: Direction, ...selections: UndoSelection[]) => {
    setOutcome(undefined);
    let files: readonly UndoneFile[] = [];
    let selection: UndoSelection = { all: true };
    // In order, until one is rejected.
    for (selection of selections) {
      ({ files } = await client.works[direction]({ workId, body: selection }));
      if (!files.every(({ outcome: became }) => HAS_MOVED.has(became))) break;
    }
    // Also invalidates the queries of a run that is no longer followed.
    await Promise.all([
      // A called run may have made them.
      queries.invalidateQueries({ queryKey: ['changes'] }),
      queries.invalidateQueries({ queryKey: ['file-diff'] }),
      queries.invalidateQueries({ queryKey: ['existing', projectId] }),
    ]);
    const moved = files.filter(({ outcome: became }) => HAS_MOVED.has(became)).length;
    if (moved === files.length)
      show(t(`event.${direction}`, { count: moved }), {
        label: t(`inspector.files.${OPPOSITE[direction]}`),
        onChoose: () => run(OPPOSITE[direction], ...selections.toReversed()),
      });
    else setOutcome({ direction, selection, files });
  });
  return { run, isBusy, issue, outcome, dismiss: () => setOutcome(undefined) };
}

/**
 * The selections that undo a call together with the later changes of its files, last change first. Empty if that would not help.
 */
function withLaterChanges(
  changes: readonly JournalEntry[],
  { direction, selection, files }: Moved,
): readonly UndoSelection[] {
  if (direction !== 'undo' || !('callId' in selection)) return [];
  if (!files.some(({ cause }) => cause === 'later-change')) return [];
  const isOwn = ({ callId, runId }: JournalEntry): boolean =>
    callId === selection.callId && runId === selection.runId;
  const isLater = ({ path }: JournalEntry, at: number): boolean =>
    changes.some((change, index) => isOwn(change) && change.path === path && at >= index);
  return undoOf(changes.filter(isLater));
}

/** The selections that undo these changes, last change first. */
export function undoOf(changes: readonly JournalEntry[]): readonly UndoSelection[] {
  return callsOf(changes.filter(({ undone }) => !undone).toReversed());
}

/** The selections that redo these changes, first change first. */
export function redoOf(changes: readonly JournalEntry[]): readonly UndoSelection[] {
  return callsOf(changes.filter(({ undone }) => undone));
}

function callsOf(changes: readonly JournalEntry[]): readonly UndoSelection[] {
  const calls = new Map(changes.map((change) => [`${change.runId} ${change.callId}`, toSelection(change)]));
  return [...calls.values()];
}

/** The call that made a change, in the run that it belongs to. */
export function toSelection({ callId, runId }: JournalEntry): UndoSelection {
  return { callId, runId };
}

interface UndoOutcomeProps {
  readonly projectId: string;
  readonly undo: ReturnType<typeof useUndo>;
  /** All changes of the run. */
  readonly changes: readonly JournalEntry[];
}

/** Why undo or redo failed, or the outcome of each file if not all could be undone. Edits of the user are never overwritten. */
export function UndoOutcome({ projectId, undo, changes }: UndoOutcomeProps) {
  const { t } = useTranslation();
  const { issue, outcome } = undo;
  if (!outcome) return <ErrorNote issue={issue} />;
  const { direction, files } = outcome;
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
        const name = toShownPath(path);
        const isThere = outcome !== 'deleted' && outcome !== 'failed';
        return (
          <li key={path} className="flex items-start gap-1.5 text-sm">
            {isUndone({ outcome }) ? (
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
              · {t(`event.outcome.${cause ?? outcome}`)}
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
