/**
 * Commits changes of a program to the project through its mount and the journal, so that they can be undone: files with their
 * permissions, links, folders and deletions. In batches: memory is bounded, and a batch costs a few syncs.
 */
import { CAN_SYNC_DISK, syncDisk } from '../../base/durable-files.ts';
import { errnoOf } from '../../base/errno.ts';
import { sha256Of } from '../../base/sha256.ts';
import { stagingName } from '../../base/staging.ts';
import { type ExactEntry, toNewEntry } from '../../mounts/exact-entries.ts';
import { ChangedMeanwhile } from '../../mounts/file-identity.ts';
import type { MountPath } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import { SandboxViolation } from '../../mounts/sandbox-violation.ts';
import type { RecordedChange } from '../tool.ts';

/** A change to commit: the entry of the view, or none. */
export interface CommitChange {
  /** Path in the project. */
  readonly path: string;
  readonly isRemoved: boolean;
}

export interface CommitOptions {
  readonly files: MountedFs;
  /** The entries of the view. */
  readonly contents: MountedFs;
  readonly journal: EntryJournal;
  readonly callId: string;
  readonly nodeId?: string | undefined;
}

/** Records entries before they are changed. */
export interface EntryJournal {
  beginAll(
    changes: readonly {
      readonly path: string;
      readonly before: RecordedEntry | undefined;
      readonly after: RecordedEntry | undefined;
    }[],
    options: { readonly callId: string; readonly nodeId?: string | undefined },
  ): Promise<readonly RecordedChange[]>;
}

interface RecordedEntry {
  readonly kind: 'file' | 'link' | 'folder';
  readonly content: Uint8Array | undefined;
  readonly sha256: string;
  readonly bytes: number;
  readonly mode: number | undefined;
}

export interface ChangedFile {
  readonly path: string;
  readonly kind: 'created' | 'changed' | 'deleted';
}

export interface Committed {
  readonly changed: readonly ChangedFile[];
  /** Too large for the journal. */
  readonly notUndoable: readonly string[];
  /** Could not be written, or changed meanwhile. */
  readonly failed: readonly string[];
}

const MAX_BATCH = 256;
const MAX_BATCH_BYTES = 32 * 1_048_576;
/** Larger files are copied in pieces, and not recorded. */
const MAX_RECORDED_BYTES = 32 * 1_048_576;
/** As in the journal: fewer entries are synced one by one. */
const MANY = 32;

interface Step {
  readonly path: string;
  readonly target: MountPath;
  readonly before: ExactEntry | undefined;
  readonly after: ExactEntry | undefined;
}

export async function commitChanges(
  changes: readonly CommitChange[],
  options: CommitOptions,
): Promise<Committed> {
  const changed: ChangedFile[] = [];
  const notUndoable: string[] = [];
  const failed: string[] = [];
  let batch: Step[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    const done = await commitBatch(batch, options);
    failed.push(...done.failed);
    changed.push(
      ...done.steps.filter(({ before, after }) => (after ?? before)?.kind !== 'folder').map(toChanged),
    );
    batch = [];
    bytes = 0;
  };
  for (const change of changes) {
    // The second change of an entry begins with what the first one left.
    if (batch.some(({ path }) => path === change.path)) await flush();
    const step = await toStep(change, options).catch((error: unknown) => ifRefused(error));
    if (step === undefined) failed.push(change.path);
    else if (step === 'unchanged') continue;
    else if (isLarge(step)) {
      await flush();
      const isMade = await applyStep(step, { ...options, tempName: stagingName('writing'), isSynced: true });
      if (isMade) {
        changed.push(toChanged(step));
        notUndoable.push(step.path);
      } else failed.push(step.path);
    } else {
      batch.push(step);
      bytes += (step.before?.bytes ?? 0) + (step.after?.bytes ?? 0);
      if (batch.length >= MAX_BATCH || bytes >= MAX_BATCH_BYTES) await flush();
    }
  }
  await flush();
  return { changed, notUndoable, failed };
}

/** What a change does now: the project may have changed since it was planned. */
async function toStep(
  { path, isRemoved }: CommitChange,
  { files, contents }: CommitOptions,
): Promise<Step | 'unchanged'> {
  const target = { mount: '@project', segments: path.split('/') } as const;
  const limit = { maxBytes: MAX_RECORDED_BYTES };
  const before = await files.exact.read(target, limit);
  const after = isRemoved ? undefined : await contents.exact.read(target, limit);
  if (!isRemoved && !after) throw new SandboxViolation('link', 'was changed while it was being read');
  if (after?.kind === 'special') throw new SandboxViolation('special', 'is not a file');
  if (!before && !after) return 'unchanged';
  if (before?.kind === 'folder' && after?.kind === 'folder') return 'unchanged';
  return { path, target, before, after };
}

function toChanged({ path, before, after }: Step): ChangedFile {
  return { path, kind: after ? (before ? 'changed' : 'created') : 'deleted' };
}

function isLarge({ before, after }: Step): boolean {
  return [before, after].some((entry) => entry?.kind === 'file' && entry.content === undefined);
}

async function commitBatch(
  batch: readonly Step[],
  options: CommitOptions,
): Promise<{ readonly steps: readonly Step[]; readonly failed: readonly string[] }> {
  if (batch.length === 0) return { steps: [], failed: [] };
  const { files, journal, callId, nodeId } = options;
  const isMany = CAN_SYNC_DISK && batch.length > MANY;
  const recorded = await journal.beginAll(
    batch.map(({ path, before, after }) => ({
      path: `@project/${path}`,
      before: toRecorded(before),
      after: toRecorded(after),
    })),
    { callId, nodeId },
  );
  const steps: Step[] = [];
  const failed: string[] = [];
  const made: RecordedChange[] = [];
  for (const [index, step] of batch.entries()) {
    const record = recorded[index];
    if (!record) throw new Error('every change is recorded');
    if (await applyStep(step, { ...options, tempName: record.tempName, isSynced: !isMany })) {
      steps.push(step);
      made.push(record);
    } else {
      // A folder that still has a hidden file, or one of somebody else, stays.
      if (step.after || step.before?.kind !== 'folder') failed.push(step.path);
      await record.abandon();
    }
  }
  // Another process resolves the descriptor through ours.
  if (isMany)
    await files.withFolder({ mount: '@project', segments: [] }, (folder) =>
      syncDisk(folder.replace('/proc/self/', `/proc/${process.pid}/`)),
    );
  for (const record of made) await record.done();
  return { steps, failed };
}

function toRecorded(entry: ExactEntry | undefined): RecordedEntry | undefined {
  if (!entry || entry.kind === 'special') return undefined;
  const content = entry.content ?? Buffer.alloc(0);
  return {
    kind: entry.kind,
    content,
    sha256: sha256Of(content),
    bytes: content.length,
    mode: entry.kind === 'link' ? undefined : entry.mode,
  };
}

/** False if the entry could not be written, or is not what it was. */
async function applyStep(
  { target, before, after }: Step,
  { files, contents, tempName, isSynced }: CommitOptions & { tempName: string; isSynced: boolean },
): Promise<boolean> {
  const expected = before?.identity ?? 'absent';
  const { exact } = files;
  try {
    const isFolderOnly = (before?.kind === 'folder') !== (after?.kind === 'folder');
    if (before && (!after || isFolderOnly))
      await exact.remove(target, { expected: before.kind === 'folder' ? undefined : expected, isSynced });
    if (!after) return true;
    const options = { expected: isFolderOnly ? ('absent' as const) : expected, tempName, isSynced };
    await exact.put(target, toNewEntry(after, contents.exact.chunks(target)), options);
    return true;
  } catch (error) {
    ifRefused(error);
    return false;
  }
}

/** An error of the system or the mount belongs to the file; a full disk belongs to all of them. */
function ifRefused(error: unknown): undefined {
  const code = errnoOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EROFS') throw error;
  if (code === undefined && !(error instanceof SandboxViolation) && !(error instanceof ChangedMeanwhile))
    throw error;
}
