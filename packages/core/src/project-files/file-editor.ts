/**
 * Serializes a user's changes to project files across processes and records them for undo.
 */
import type { FileChange } from '@crewagent/protocol/api/files';
import type { TreeChange } from '@crewagent/protocol/file-journal';
import type { JournalEntry } from '@crewagent/protocol/journal';
import { withDiskErrors } from '../base/errno.ts';
import { createQueue } from '../base/queue.ts';
import { createUuidV7 } from '../base/uuid-v7.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import { isFileError } from '../mounts/sandbox-violation.ts';
import type { FileChangeStore, FileRecords, TreeChanges } from '../store/file-changes.ts';
import type { Journal } from '../store/journal.ts';
import { settleStep } from './tree-steps.ts';

interface FileEditorOptions {
  readonly store: FileChangeStore;
  readonly files: MountedFs;
  readonly tree: MountedTree;
  readonly now: () => Date;
  /** Limit for the snapshots of removed files. */
  readonly snapshotBytes: number;
}

interface FileHistory {
  readonly journal: Journal;
  readonly changes: TreeChanges;
  /** Id for the next change; sorts after all existing ids, whatever the clock says. */
  newId(): string;
  /** All changes, the latest first. */
  all(): Promise<FileChange[]>;
}

export type FileEditor = ReturnType<typeof createFileEditor>;

/** The history is pruned once per this many uses. */
const PRUNE_INTERVAL = 64;

export function createFileEditor({ store, files, tree, now, snapshotBytes }: FileEditorOptions) {
  const inOrder = createQueue();
  let uses = 0;
  let latestMs = 0;
  const newId = createUuidV7(() => new Date(Math.max(now().getTime(), latestMs + 1)));

  const openHistory = async ({ changes, ...records }: FileRecords): Promise<FileHistory> => {
    for (const step of await changes.pending()) await settleIfPossible(step, { tree, changes });
    if (uses++ % PRUNE_INTERVAL === 0) {
      await records.pruneJournal();
      await pruneTreeChanges(changes, snapshotBytes);
    }
    const journal = await records.journal({ files, clock: now, warn: () => undefined });
    const ids = [...(await changes.ids()), ...journal.list().map(({ callId }) => callId)];
    latestMs = ids.reduce((latest, id) => Math.max(latest, timeOf(id)), latestMs);
    return { journal, changes, newId, all: () => listAll(journal, changes) };
  };

  /** Runs `work` with exclusive access to the history, after settling steps that a killed process left pending. */
  const use = <T>(work: (history: FileHistory) => Promise<T>): Promise<T> =>
    inOrder(() => store.use(async (records) => work(await openHistory(records))));

  return {
    use,
    /** Settles pending steps, if any change was ever made. */
    settle: (): Promise<void> =>
      withDiskErrors('Could not read the history of file changes', async () => {
        if (await store.exists()) await use(() => Promise.resolve());
      }),
    /** Resolves when no work is in progress. */
    idle: (): Promise<void> => inOrder(() => Promise.resolve()),
  };
}

/** A step that cannot be settled now (e.g. the project's drive is not mounted) is settled later. */
async function settleIfPossible(...[step, deps]: Parameters<typeof settleStep>): Promise<void> {
  try {
    await settleStep(step, deps);
  } catch (error) {
    if (!isFileError(error)) throw error;
  }
}

/** Creation time of an id; 0 if the id is invalid. */
function timeOf(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16) || 0;
}

async function listAll(journal: Journal, changes: TreeChanges): Promise<FileChange[]> {
  const all = [...journal.list().map(fromJournal), ...(await changes.list()).map(fromTreeChange)];
  return all.sort((a, b) => (a.id < b.id ? 1 : -1));
}

function fromJournal({ callId: id, at, path, kind, undone, undoable }: JournalEntry): FileChange {
  const displayKind = kind === 'created' ? 'created' : 'saved';
  return { id, at, kind: displayKind, path, isFolder: false, isUndone: undone, isUndoable: undoable };
}

function fromTreeChange(change: TreeChange): FileChange {
  const { id, at, kind, path, isFolder, isUndone } = change;
  const isUndoable = change.kind !== 'removed' || change.isKept;
  const to = change.kind === 'moved' ? change.to : undefined;
  return { id, at, kind, path, isFolder, isUndone, isUndoable, to };
}

const MAX_TREE_CHANGES = 500;

/** Removes the oldest changes, and the snapshots of others that exceed `snapshotBytes`. */
export async function pruneTreeChanges(changes: TreeChanges, snapshotBytes: number): Promise<void> {
  let bytes = 0;
  const all = (await changes.list()).toReversed();
  for (const [index, change] of all.entries()) {
    if (index >= MAX_TREE_CHANGES) {
      await changes.drop(change.id);
      continue;
    }
    if (change.kind !== 'removed' || !change.isKept) continue;
    bytes += change.bytes;
    if (bytes > snapshotBytes) await changes.forget(change);
  }
}
