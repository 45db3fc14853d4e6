/** Undoes and redoes changes, with the outcome of each file. */
import type { JournalEntry, UndoneFile, UndoSelection } from '@crewagent/protocol/journal';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { useTranslation } from '../../i18n/use-translation.ts';
import { useToasts } from '../../ui/overlays/toast-store.ts';
import { useAction } from '../../ui/use-action.ts';

export type Direction = 'undo' | 'redo';

/** Several selections are applied in order. */
export type Move = (direction: Direction, ...selections: UndoSelection[]) => void;

export interface Moved {
  readonly direction: Direction;
  readonly selection: UndoSelection;
  readonly files: readonly UndoneFile[];
}

export type Undo = ReturnType<typeof useUndo>;

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
    if (moved === files.length) show(t(`event.${direction}`, { count: moved }));
    else setOutcome({ direction, selection, files });
  });
  return { run, isBusy, issue, outcome, dismiss: () => setOutcome(undefined) };
}

/**
 * The selections that undo a call together with the later changes of its files, last change first. Empty if that would not help.
 */
export function withLaterChanges(
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
  const standing = changes.filter(({ undone }) => !undone).toReversed();
  const calls = new Map(standing.map((change) => [`${change.runId} ${change.callId}`, toSelection(change)]));
  return [...calls.values()];
}

/** The call that made a change, in the run that it belongs to. */
export function toSelection({ callId, runId }: JournalEntry): UndoSelection {
  return { callId, runId };
}

export const HAS_MOVED: ReadonlySet<UndoneFile['outcome']> = new Set(['restored', 'deleted', 'recreated']);
