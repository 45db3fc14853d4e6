/**
 * Where a person's changes to a project's files are made and remembered: one at a time, among all processes. The contents
 * that were changed are in a journal like that of a run, everything else in a folder beside it.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileChange } from '@crewagent/protocol/api/files';
import type { TreeChange } from '@crewagent/protocol/file-journal';
import type { JournalEntry } from '@crewagent/protocol/journal';
import { CrewError } from '../base/crew-error.ts';
import { createFolders } from '../base/durable-files.ts';
import { errnoOf, withDiskErrors } from '../base/errno.ts';
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
  /** How much of what was removed is kept. */
  readonly snapshotBytes: number;
}

export interface FileHistory {
  readonly journal: Journal;
  readonly changes: TreeChanges;
  /** For the next change: greater than all there are, whatever the clock does. */
  newId(): string;
  /** Everything that was done, the latest first. */
  all(): Promise<FileChange[]>;
}

export interface FileEditor {
  /** Runs `work` while nobody else changes what is remembered; whatever a killed process left is decided before. */
  use<T>(work: (history: FileHistory) => Promise<T>): Promise<T>;
  /** Decides what a killed process left, if anything was ever done here. */
  settle(): Promise<void>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

const WAIT_MS = 10_000;
/** How often it is looked whether too much has come together. */
const USES_A_PRUNING = 64;

export function createFileEditor({ folder, files, tree, now, snapshotBytes }: FileEditorOptions): FileEditor {
  const inOrder = createQueue();
  const logFile = join(folder, 'journal.jsonl');
  let known: { readonly journal: Journal; stamp: string } | undefined;
  let uses = 0;
  let latestMs = 0;
  const newId = createUuidV7(() => new Date(Math.max(now().getTime(), latestMs + 1)));

  /** The journal as it is on disk now: if nobody else wrote to it, the one we have. */
  const currentJournal = async (): Promise<Journal> => {
    const stamp = await stampOf(logFile);
    if (known?.stamp === stamp) return known.journal;
    const journal = await openJournal({ folder, files, clock: now, warn: () => undefined });
    known = { journal, stamp };
    return journal;
  };

  const locked = async <T>(work: (history: FileHistory) => Promise<T>): Promise<T> => {
    const changes = await openTreeChanges(join(folder, 'tree'));
    for (const step of await changes.pending()) await settleIfPossible(step, { tree, changes });
    if (uses++ % USES_A_PRUNING === 0) {
      if (await pruneJournal(logFile)) known = undefined;
      await pruneTreeChanges(changes, snapshotBytes);
    }
    const journal = await currentJournal();
    const ids = [...(await changes.ids()), ...journal.list().map(({ callId }) => callId)];
    latestMs = ids.reduce((latest, id) => Math.max(latest, timeOf(id)), latestMs);
    try {
      return await work({ journal, changes, newId, all: () => listAll(journal, changes) });
    } finally {
      if (known) known.stamp = await stampOf(logFile);
    }
  };

  const use: FileEditor['use'] = (work) =>
    inOrder(async () => {
      const lock = await withDiskErrors('Could not open what is remembered of the files', () =>
        takeLock(folder),
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
      withDiskErrors('Could not look at what was done to the files', async () => {
        if ((await stampOf(folder)) !== NOTHING) await use(() => Promise.resolve());
      }),
    idle: () => inOrder(() => Promise.resolve()),
  };
}

async function takeLock(folder: string) {
  await createFolders(folder);
  const attempt = await lockFile(join(folder, 'lock'), { waitMs: WAIT_MS });
  if (attempt.isAccepted) return attempt.lock;
  throw new CrewError('DISK', 'Another process is changing the files of this project; try again.');
}

/** What cannot be decided now (the project's drive is away) is decided later. */
async function settleIfPossible(...[step, deps]: Parameters<typeof settleStep>): Promise<void> {
  try {
    await settleStep(step, deps);
  } catch (error) {
    if (errnoOf(error) === undefined && !(error instanceof SandboxViolation)) throw error;
  }
}

const NOTHING = 'nothing';

/** Differs whenever the file does. */
async function stampOf(file: string): Promise<string> {
  try {
    const { ino, size, mtimeNs } = await stat(file, { bigint: true });
    return `${ino}:${size}:${mtimeNs}`;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return NOTHING;
    throw error;
  }
}

/** When an id was made; a damaged one was made long ago. */
function timeOf(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16) || 0;
}

async function listAll(journal: Journal, changes: TreeChanges): Promise<FileChange[]> {
  const all = [...journal.list().map(ofContent), ...(await changes.list()).map(ofTree)];
  return all.sort((a, b) => (a.id < b.id ? 1 : -1));
}

function ofContent({ callId: id, at, path, kind, undone, undoable }: JournalEntry): FileChange {
  const shown = kind === 'created' ? 'created' : 'saved';
  return { id, at, kind: shown, path, isFolder: false, isUndone: undone, isUndoable: undoable };
}

function ofTree(change: TreeChange): FileChange {
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
