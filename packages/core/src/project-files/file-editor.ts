/**
 * Serializes a user's changes to project files across processes and records them for undo. Content changes are in a
 * journal like that of a run, other changes in a folder beside it.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileChange } from '@crewagent/protocol/api/files';
import type { TreeChange } from '@crewagent/protocol/file-journal';
import type { JournalEntry } from '@crewagent/protocol/journal';
import { CrewError } from '../base/crew-error.ts';
import { createFolders } from '../base/durable-files.ts';
import { errnoOf, ifPresent, withDiskErrors } from '../base/errno.ts';
import { createQueue } from '../base/queue.ts';
import { createUuidV7 } from '../base/uuid-v7.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';
import { lockFile } from '../store/disk/file-lock.ts';
import { type Journal, openJournal } from '../store/disk/journal.ts';
import { pruneJournal, pruneTreeChanges } from './prune.ts';
import { openTreeChanges, type TreeChanges } from './tree-changes.ts';
import { settleStep } from './tree-steps.ts';

export interface FileEditorOptions {
  readonly folder: string;
  readonly files: MountedFs;
  readonly tree: MountedTree;
  readonly now: () => Date;
  /** Limit for the snapshots of removed files. */
  readonly snapshotBytes: number;
}

export interface FileHistory {
  readonly journal: Journal;
  readonly changes: TreeChanges;
  /** Id for the next change; sorts after all existing ids, whatever the clock says. */
  newId(): string;
  /** All changes, the latest first. */
  all(): Promise<FileChange[]>;
}

export interface FileEditor {
  /** Runs `work` with exclusive access to the history, after settling steps that a killed process left pending. */
  use<T>(work: (history: FileHistory) => Promise<T>): Promise<T>;
  /** Settles pending steps, if any change was ever made. */
  settle(): Promise<void>;
  /** Resolves when no work is in progress. */
  idle(): Promise<void>;
}

const WAIT_MS = 10_000;
/** The history is pruned once per this many uses. */
const PRUNE_INTERVAL = 64;

export function createFileEditor({ folder, files, tree, now, snapshotBytes }: FileEditorOptions): FileEditor {
  const inOrder = createQueue();
  const logFile = join(folder, 'journal.jsonl');
  let cached: { readonly journal: Journal; stamp: string } | undefined;
  let uses = 0;
  let latestMs = 0;
  const newId = createUuidV7(() => new Date(Math.max(now().getTime(), latestMs + 1)));

  /** The journal on disk; cached unless another process wrote to it. */
  const currentJournal = async (): Promise<Journal> => {
    const stamp = await stampOf(logFile);
    if (cached?.stamp === stamp) return cached.journal;
    const journal = await openJournal({ folder, files, clock: now, warn: () => undefined });
    cached = { journal, stamp };
    return journal;
  };

  const locked = async <T>(work: (history: FileHistory) => Promise<T>): Promise<T> => {
    const changes = await openTreeChanges(join(folder, 'tree'));
    for (const step of await changes.pending()) await settleIfPossible(step, { tree, changes });
    if (uses++ % PRUNE_INTERVAL === 0) {
      if (await pruneJournal(logFile)) cached = undefined;
      await pruneTreeChanges(changes, snapshotBytes);
    }
    const journal = await currentJournal();
    const ids = [...(await changes.ids()), ...journal.list().map(({ callId }) => callId)];
    latestMs = ids.reduce((latest, id) => Math.max(latest, timeOf(id)), latestMs);
    try {
      return await work({ journal, changes, newId, all: () => listAll(journal, changes) });
    } finally {
      if (cached) cached.stamp = await stampOf(logFile);
    }
  };

  const use: FileEditor['use'] = (work) =>
    inOrder(async () => {
      const lock = await withDiskErrors('Could not open the history of file changes', () =>
        acquireLock(folder),
      );
      try {
        return await locked(work);
      } finally {
        await lock.release();
      }
    });

  return {
    use,
    settle: () =>
      withDiskErrors('Could not read the history of file changes', async () => {
        if ((await stampOf(folder)) !== MISSING) await use(() => Promise.resolve());
      }),
    idle: () => inOrder(() => Promise.resolve()),
  };
}

async function acquireLock(folder: string) {
  await createFolders(folder);
  const attempt = await lockFile(join(folder, 'lock'), { waitMs: WAIT_MS });
  if (attempt.isAccepted) return attempt.lock;
  throw new CrewError('DISK', 'Another process is changing the files of this project; try again.');
}

/** A step that cannot be settled now (e.g. the project's drive is not mounted) is settled later. */
async function settleIfPossible(...[step, deps]: Parameters<typeof settleStep>): Promise<void> {
  try {
    await settleStep(step, deps);
  } catch (error) {
    if (errnoOf(error) === undefined && !(error instanceof SandboxViolation)) throw error;
  }
}

const MISSING = 'nothing';

/** Changes whenever the file does. */
async function stampOf(file: string): Promise<string> {
  const found = await ifPresent(stat(file, { bigint: true }));
  return found ? `${found.ino}:${found.size}:${found.mtimeNs}` : MISSING;
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
  return {
    id,
    at,
    kind,
    path,
    isFolder,
    isUndone,
    isUndoable,
    ...(change.kind === 'moved' ? { to: change.to } : {}),
  };
}
