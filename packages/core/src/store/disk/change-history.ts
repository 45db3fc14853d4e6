/**
 * What the journal's records say of each file, as two stacks: the changes that are in the file, and those that were undone.
 * Made from the records and nothing else.
 */
import type { ChangeBegun, JournalRecord, JournalStep, MoveBegun } from '@crewagent/protocol/journal';

/** A change that was made, whether or not it was undone since. */
export interface Change {
  readonly begun: ChangeBegun;
  /** Permissions to give the file when the change is undone or redone and there is no file to take them from. */
  modeBefore: number | undefined;
  modeAfter: number | undefined;
}

export interface FileHistory {
  readonly path: string;
  /** Changes that are in the file, the latest on top. */
  applied: Change[];
  /** Changes that were undone, the next to redo on top. */
  undone: Change[];
  /** Changes that were undone when a newer one took their place. */
  readonly overtaken: Change[];
}

/** All that the records say. */
export interface History {
  readonly changes: Map<number, Change>;
  readonly files: Map<string, FileHistory>;
  /** Steps that were begun, and no more is known. */
  readonly pending: Map<number, JournalStep>;
  /** Folders that exist because of a change, with the changes that they were made for. */
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
  const file = history.files.get(begun.path) ?? { path: begun.path, applied: [], undone: [], overtaken: [] };
  file.overtaken.push(...file.undone);
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

/** Whether a folder is there for nothing but what this step takes away: who made it stays where its change does. */
export function isMadeForNothing(history: History, folder: string, undoing: readonly number[]): boolean {
  const makers = history.madeFolders.get(folder);
  return makers?.every((id) => undoing.includes(id) || !isApplied(history, id)) ?? false;
}

function isApplied({ changes, files }: History, id: number): boolean {
  const change = changes.get(id);
  return change !== undefined && files.get(change.begun.path)?.applied.includes(change) === true;
}
