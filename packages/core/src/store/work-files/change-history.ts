/**
 * Undo and redo stacks of each file, folded from the records of the journal. Pure.
 */
import type { ChangeBegun, JournalRecord, JournalStep, MoveBegun } from '@crewagent/protocol/journal';

/** A change that was made; it may have been undone since. */
export interface Change {
  readonly begun: ChangeBegun;
  /** Permissions of the file when the change is undone or redone and there is no file to copy them from. */
  modeBefore: number | undefined;
  modeAfter: number | undefined;
}

export interface FileHistory {
  readonly path: string;
  /** Changes in the file, the latest last. */
  applied: Change[];
  /** Undone changes, the next to redo last. */
  undone: Change[];
  /** Undone changes that a newer change replaced. */
  readonly superseded: Change[];
}

export interface History {
  readonly changes: Map<number, Change>;
  readonly files: Map<string, FileHistory>;
  /** Steps that were begun but not settled. */
  readonly pending: Map<number, JournalStep>;
  /** Folders created for a change, with the ids of these changes. */
  readonly madeFolders: Map<string, readonly number[]>;
  nextId: number;
}

export function createHistory(records: readonly JournalRecord[]): History {
  const history: History = {
    changes: new Map(),
    files: new Map(),
    pending: new Map(),
    madeFolders: new Map(),
    nextId: 1,
  };
  for (const record of records) addRecord(history, record);
  return history;
}

export function addRecord(history: History, record: JournalRecord): void {
  history.nextId = Math.max(history.nextId, record.id + 1);
  if (record.type !== 'step.done' && record.type !== 'step.abandoned') {
    history.pending.set(record.id, record);
    return;
  }
  const step = history.pending.get(record.id);
  history.pending.delete(record.id);
  if (!step || record.type === 'step.abandoned') return;
  const makers = step.type === 'change.begun' ? [step.id] : step.changes;
  for (const folder of step.madeFolders) history.madeFolders.set(folder, makers);
  for (const folder of record.removedFolders) history.madeFolders.delete(folder);
  if (step.type === 'change.begun') addChange(history, step);
  else moveChanges(history, step);
}

function addChange(history: History, begun: ChangeBegun): void {
  const change: Change = { begun, modeBefore: begun.mode, modeAfter: undefined };
  const file = history.files.get(begun.path) ?? { path: begun.path, applied: [], undone: [], superseded: [] };
  file.superseded.push(...file.undone);
  file.undone = [];
  file.applied.push(change);
  history.files.set(begun.path, file);
  history.changes.set(begun.id, change);
}

function moveChanges(history: History, move: MoveBegun): void {
  const file = history.files.get(move.path);
  const moved = move.changes.map((id) => history.changes.get(id)).filter((change) => change !== undefined);
  const isMoved = new Set(moved);
  const [first, last] = [moved.at(0), moved.at(-1)];
  if (!file || !first || !last) return;
  if (move.type === 'undo.begun') {
    file.applied = file.applied.filter((change) => !isMoved.has(change));
    file.undone.push(...moved.toReversed());
    last.modeAfter = move.mode ?? last.modeAfter;
  } else {
    file.undone = file.undone.filter((change) => !isMoved.has(change));
    file.applied.push(...moved);
    first.modeBefore = move.mode ?? first.modeBefore;
  }
}

/** Whether a folder exists only because of changes that are undone, or are being undone by this step. */
export function isNoLongerNeeded(history: History, folder: string, undoing: readonly number[]): boolean {
  const makers = history.madeFolders.get(folder);
  return makers?.every((id) => undoing.includes(id) || !isApplied(history, id)) ?? false;
}

function isApplied({ changes, files }: History, id: number): boolean {
  const change = changes.get(id);
  return change !== undefined && files.get(change.begun.path)?.applied.includes(change) === true;
}
