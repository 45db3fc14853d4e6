/**
 * The journal of a run: before- and after-images of project files that tools change, so that the changes can be undone.
 * A change is recorded before it is made; after a crash, the content of the file decides whether it was made.
 * Accesses project files only through their mount, and identifies them by mount path.
 */
import { rmdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type {
  ChangeBegun,
  JournalEntry,
  JournalImage,
  JournalRecord,
  JournalStep,
} from '@crewagent/protocol/journal';
import { errnoOf, ifPresent } from '../../base/errno.ts';
import { mapLimit } from '../../base/map-limit.ts';
import { createQueue } from '../../base/queue.ts';
import { sha256Of } from '../../base/sha256.ts';
import { stagingName } from '../../base/staging.ts';
import { formatMountPath, type MountPath, toProjectPath } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import { SandboxViolation } from '../../mounts/sandbox-violation.ts';
import type { Journal, JournalOptions, RecordedChange, RecordedEntry } from '../journal.ts';
import { addRecord, createHistory, type History, isNoLongerNeeded } from './change-history.ts';
import { type JournalLog, type JournalStorage, openJournalFolder } from './journal-log.ts';
import {
  type FileNow,
  isSameContent,
  type MoveDeps,
  moveSelected,
  type StepDraft,
  type StepFile,
} from './undo.ts';

/** Above this number of entries one sync of the disk is faster than one for each. */
const MANY = 32;

/** The folder is created with the first change. */
export async function openJournal({ folder, ...options }: JournalOptions & { readonly folder: string }) {
  return openStoredJournal(await openJournalFolder(folder), options);
}

/** Opens a journal and settles the steps of a process that died. Requires the lock of the run. */
export async function openStoredJournal(
  { log, openImages }: JournalStorage,
  options: JournalOptions,
): Promise<Journal> {
  const { files, warn, capBytes } = options;
  const isWhole = log.unreadable === 0;
  if (!isWhole) warn(`The journal of this run is damaged: ${log.unreadable} of its lines were skipped.`);
  const recorded = log.records.flatMap(imagesOf);
  const images = await openImages(recorded, { isWhole, capBytes, warn });
  const history = createHistory(log.records);
  const steps = createSteps(options, log, history);
  const halfDone = await settleAll(steps, history);

  const deps: MoveDeps = {
    ...steps,
    history,
    files,
    readImage: images.read,
    readNow: (path, candidates) => readNow(files, path, candidates),
  };
  for (const callId of halfDone) {
    const restored = await moveSelected('undo', { callId }, deps);
    if (restored.length > 0)
      warn('A call was interrupted after it had changed some of its files, so these were restored.');
  }
  const inOrder = createQueue();
  const toRecorded = (step: ChangeBegun): RecordedChange => ({
    tempName: step.tempName,
    done: () => steps.finish(step),
    abandon: async () => void (await steps.settle(step)),
  });

  return {
    async begin({ callId, nodeId, mode, isGrouped, ...change }) {
      if (!change.before && !change.after) throw new Error('a change has something before or after it');
      const path = formatMountPath(files.resolve(toProjectPath(change.path), 'write'));
      const [before = null, after = null] = await mapLimit([change.before, change.after], 2, (content) =>
        content ? images.keep(content) : Promise.resolve(null),
      );
      const draft = await steps.draft({ path, before, after });
      const group = isGrouped ? { isGrouped } : {};
      const step: ChangeBegun = { ...draft, type: 'change.begun', callId, nodeId, mode, ...group };
      await steps.begin(step);
      return toRecorded(step);
    },
    async beginAll(changes, { callId, nodeId }) {
      const isMany = images.syncAll !== undefined && changes.length > MANY;
      const toImage = async (entry: RecordedEntry | undefined): Promise<JournalImage | null> => {
        if (!entry) return null;
        const { kind, content, sha256, bytes, mode } = entry;
        const kept = content ? await images.keep(content, !isMany) : { sha256, bytes, kept: false };
        return { ...kept, ...(kind === 'file' ? {} : { kind }), ...(mode === undefined ? {} : { mode }) };
      };
      const begun: ChangeBegun[] = [];
      // Folders with a record of their own are undone by it.
      const ownFolders = new Set(
        changes.flatMap(({ path, after }) => (after?.kind === 'folder' ? [path] : [])),
      );
      for (const { path, before, after } of changes) {
        const file = { path, before: await toImage(before), after: await toImage(after) };
        const draft = await steps.draft(file, ownFolders);
        begun.push({ ...draft, type: 'change.begun', callId, nodeId, mode: before?.mode });
      }
      if (isMany) await images.syncAll?.();
      await steps.begin(...begun);
      return begun.map(toRecorded);
    },
    list() {
      const applied = new Set([...history.files.values()].flatMap((file) => file.applied));
      return [...history.changes.values()].map((change) => toEntry(change.begun, applied.has(change)));
    },
    undo: (selection) => inOrder(() => moveSelected('undo', selection, deps)),
    redo: (selection) => inOrder(() => moveSelected('redo', selection, deps)),
  };
}

/** Settles the steps of a process that died. Returns the calls that changed some of their files, but not all. */
async function settleAll(steps: ReturnType<typeof createSteps>, history: History): Promise<Set<string>> {
  const pending = [...history.pending.values()];
  // A call of which a step is recorded as done had changed all of its files.
  const finished = new Set([...history.changes.values()].map(({ begun }) => begun.callId));
  const halfDone = new Set<string>();
  for (const step of pending) {
    const isMade = await steps.settle(step);
    const isPart = step.type === 'change.begun' && step.isGrouped && !finished.has(step.callId);
    if (isPart && !isMade) halfDone.add(step.callId);
  }
  return halfDone;
}

function imagesOf(record: JournalRecord): JournalImage[] {
  if (!('before' in record)) return [];
  return [record.before, record.after].filter((image) => image !== null);
}

function toEntry(change: ChangeBegun, isApplied: boolean): JournalEntry {
  const { id: changeId, at, callId, nodeId, path, before, after } = change;
  return {
    changeId,
    at,
    callId,
    nodeId,
    path,
    kind: before === null ? 'created' : after === null ? 'deleted' : 'changed',
    bytesBefore: before?.bytes ?? 0,
    bytesAfter: after?.bytes ?? 0,
    sha256After: after?.sha256,
    undone: !isApplied,
    undoable: before?.kept ?? true,
  };
}

/** The life cycle of a step: recorded, made or not, settled. */
function createSteps({ files, clock, warn }: JournalOptions, log: JournalLog, history: History) {
  const stamp = () => ({ v: 1, at: clock().toISOString() }) as const;

  const decide = async (record: JournalRecord): Promise<void> => {
    if (!history.pending.has(record.id)) return;
    addRecord(history, record);
    await log.note(record);
  };

  const draft = async (file: StepFile, ownFolders: ReadonlySet<string> = new Set()): Promise<StepDraft> => {
    const madeFolders = file.after === null ? [] : await missingFolders(files, file.path, ownFolders);
    return { ...stamp(), id: history.nextId++, ...file, tempName: stagingName('writing'), madeFolders };
  };

  const begin = async (...begun: readonly JournalStep[]): Promise<void> => {
    await log.append(...begun);
    for (const step of begun) addRecord(history, step);
  };

  /** Marks the step as made. An undo also removes empty folders that were created for its changes. */
  const finish = async (step: JournalStep): Promise<void> => {
    const made =
      step.type === 'undo.begun'
        ? foldersAbove(step.path).filter((path) => isNoLongerNeeded(history, path, step.changes))
        : [];
    const removedFolders = await removeEmptyFolders(files, made);
    await decide({ ...stamp(), id: step.id, type: 'step.done', removedFolders });
  };

  /**
   * For a step that may or may not have been made: the content of the file decides. If it was not made, its temp file and
   * folders are removed.
   */
  const settle = async (step: JournalStep): Promise<boolean> => {
    try {
      files.resolve({ mount: '@project', segments: [] }, 'write');
      await removeTemp(files, siblingOf(step.path, step.tempName));
      const now = await readNow(files, step.path, [step.before, step.after]);
      const isMade = isSameContent(now, step.after) && !isSameContent(step.before, step.after);
      if (isMade) {
        await finish(step);
      } else {
        await removeEmptyFolders(files, step.madeFolders);
        await decide({ ...stamp(), id: step.id, type: 'step.abandoned' });
      }
      return isMade;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      warn(`It is not known whether ${step.path} was changed; the next start checks again.`);
      return false;
    }
  };

  return { draft, begin, finish, settle };
}

/** Folders to create for a file, innermost first, except those that are created before it. */
async function missingFolders(
  files: MountedFs,
  path: string,
  ownFolders: ReadonlySet<string>,
): Promise<string[]> {
  const missing: string[] = [];
  for (const folder of foldersAbove(path)) {
    if (ownFolders.has(folder)) continue;
    if (await isFolder(files, folder)) break;
    missing.push(folder);
  }
  return missing;
}

async function isFolder(files: MountedFs, path: string): Promise<boolean> {
  return (await ifPresent(files.withFolder(toProjectPath(path), () => Promise.resolve(true)))) ?? false;
}

/** Null if there is no file. */
async function readNow(
  files: MountedFs,
  path: string,
  candidates: readonly (JournalImage | null)[],
): Promise<FileNow | null> {
  if (candidates.some((image) => image?.kind !== undefined || image?.mode !== undefined))
    return readEntryNow(files, path);
  try {
    return await files.withFile(toProjectPath(path), async ({ handle, bytes, mode, identity }) => {
      const mayMatch = candidates.some((image) => image?.bytes === bytes);
      return { sha256: mayMatch ? sha256Of(await handle.readFile()) : undefined, mode, identity };
    });
  } catch (error) {
    if (isAbsence(error)) return null;
    throw error;
  }
}

/** The entry itself, for a change that may be of a link, a folder or permissions. */
async function readEntryNow(files: MountedFs, path: string): Promise<FileNow | null> {
  const entry = await files.exact.read(toProjectPath(path));
  if (!entry) return null;
  const { kind, mode, identity, content = Buffer.alloc(0) } = entry;
  return { kind, mode, identity, sha256: kind === 'special' ? undefined : sha256Of(content) };
}

/** A file, or a link that was to be put in place. */
async function removeTemp(files: MountedFs, path: MountPath): Promise<void> {
  try {
    const isLink = (await files.exact.read(path, { maxBytes: 0 }))?.kind === 'link';
    await (isLink ? files.exact.remove(path) : files.remove(path));
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
}

/** Innermost first, up to the first folder that is not empty. Returns the removed folders. */
async function removeEmptyFolders(files: MountedFs, folders: readonly string[]): Promise<string[]> {
  const removed: string[] = [];
  for (const folder of folders) {
    const { mount, segments } = toProjectPath(folder);
    const parent = { mount, segments: segments.slice(0, -1) };
    try {
      await files.withFolder(parent, (path) => rmdir(join(path, posix.basename(folder))));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (!isAbsence(error)) break;
    }
    removed.push(folder);
  }
  return removed;
}

function siblingOf(path: string, name: string): MountPath {
  const { mount, segments } = toProjectPath(path);
  return { mount, segments: [...segments.slice(0, -1), name] };
}

/** Innermost first. */
function foldersAbove(path: string): string[] {
  const { mount, segments } = toProjectPath(path);
  const lengths = Array.from({ length: segments.length - 1 }, (_, above) => segments.length - 1 - above);
  return lengths.map((length) => formatMountPath({ mount, segments: segments.slice(0, length) }));
}

function isAbsence(error: unknown): boolean {
  return errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR';
}

/** An error of the system or the sandbox; anything else is a bug. */
function isRefusal(error: unknown): boolean {
  return errnoOf(error) !== undefined || error instanceof SandboxViolation;
}
