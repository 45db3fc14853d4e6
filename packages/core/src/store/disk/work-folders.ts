/**
 * Creates and deletes the folders of runs and conversations. Both are atomic: one rename makes a folder visible or invisible.
 */
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunRecord } from '@crewagent/protocol/run';
import type { WorkRecord } from '@crewagent/protocol/work';
import { createFile, createFolders, syncFolder } from '../../base/durable-files.ts';
import { ifAllowed, withDiskErrors } from '../../base/errno.ts';
import { listTree } from '../../base/list-tree.ts';
import { type RunAddress, toAddress, type WorkAddress } from '../work-address.ts';
import { formatRecords, toImagePath, toRecordsPath } from '../work-files/journal-log.ts';
import { checkWork, nounOf, toNewWork } from '../work-records.ts';
import type {
  ConversationDraft,
  ListedRun,
  RunDraft,
  WorkCopy,
  WorkDraft,
  WorkMaker,
} from '../work-store.ts';
import { markChange } from './change-marks.ts';
import { formatWork, listWorks } from './find-works.ts';
import { type StoreLayout, toWorkPaths } from './layout.ts';
import { lockIfThere, takeWorkLock, type WorkLock } from './locks/work-lock.ts';
import { formatEvents, toLogText } from './log/run-log.ts';
import { publishFolder, replaceFolder, retireFolder, sweepStagedFolders } from './staged-folder.ts';

export async function createWork(store: StoreLayout, draft: RunDraft, maker: WorkMaker): Promise<RunRecord>;
export async function createWork(
  store: StoreLayout,
  draft: ConversationDraft,
  maker: WorkMaker,
): Promise<ConversationRecord>;
export async function createWork(store: StoreLayout, draft: WorkDraft, maker: WorkMaker): Promise<WorkRecord>;
export async function createWork(
  store: StoreLayout,
  draft: WorkDraft,
  maker: WorkMaker,
): Promise<WorkRecord> {
  const { record, state, firstFacts } = await toNewWork(draft, maker);
  const address = toAddress(record);
  const fill = async (folder: string): Promise<void> => {
    const staging = toWorkPaths(folder, address.isRun);
    const folders = new Set([staging.state, dirname(staging.log)].filter((part) => part !== folder));
    for (const part of folders) mkdirSync(part, { mode: 0o700 });
    await Promise.all([
      state !== undefined && createFile(staging.stateDocument, state),
      createFile(staging.log, toLogText(firstFacts, { runId: record.workId, now: maker.now })),
      createFile(staging.record, formatWork(record)),
    ]);
    await Promise.all([...folders, folder].map(syncFolder));
  };
  await withDiskErrors(`Could not create the ${nounOf(address)}`, () =>
    publishFolder(store.work(address).folder, fill, maker.publishing),
  );
  await markChange(store, store.worksFolder(record.projectId, address.isRun));
  return record;
}

/** A Work of another store; an older copy is replaced. */
export async function adoptWork(
  store: StoreLayout,
  copy: WorkCopy,
  { publishing }: Pick<WorkMaker, 'publishing'> = {},
): Promise<void> {
  const record = checkWork(copy.record);
  const address = toAddress(record);
  const { folder } = store.work(address);
  const lock = await lockIfThere(store, address);
  const fill = async (staging: string): Promise<void> => {
    const paths = toWorkPaths(staging, address.isRun);
    const write = async (file: string, content: string | Uint8Array): Promise<void> => {
      await createFolders(dirname(file));
      await createFile(file, content);
    };
    await createFolders(paths.state);
    for (const [path, sha256] of copy.state) await write(join(paths.state, path), await copy.read(sha256));
    for (const sha256 of copy.images)
      await write(toImagePath(paths.journal, sha256), await copy.read(sha256));
    if (copy.journal.length > 0) await write(toRecordsPath(paths.journal), formatRecords(copy.journal));
    await write(paths.log, formatEvents(copy.events, paths));
    await write(paths.record, formatWork(record));
    for (const { path, entry } of [...listTree(staging)].reverse())
      if (entry.isDirectory()) await syncFolder(join(staging, path));
    await syncFolder(staging);
  };
  await withDiskErrors(`Could not store the ${nounOf(address)}`, () =>
    lock ? replaceFolder(folder, fill, lock, publishing) : publishFolder(folder, fill, publishing),
  );
  await markChange(store, store.worksFolder(record.projectId, address.isRun));
}

/**
 * Deletes a Work with its children, and nothing in the project. Throws RUN_LOCKED if one of them is in use. Its own folder is
 * deleted last, so that an incomplete deletion can be repeated.
 */
export async function deleteWork(
  store: StoreLayout,
  address: WorkAddress,
  /** Children, if the caller already knows them. */
  known?: readonly RunAddress[],
): Promise<void> {
  const { projectId, isRun } = address;
  const trashed: { readonly folder: string; readonly lock: WorkLock }[] = [];
  const parents = [...new Set([true, isRun])].map((one) => store.worksFolder(projectId, one));
  await withDiskErrors(`Could not delete the ${nounOf(address)}`, async () => {
    // Whoever deletes many Works has swept once.
    if (!known) for (const parent of parents) await sweepStagedFolders(parent);
    const ownLock = await takeWorkLock(store, address);
    try {
      for (const child of known ?? (await childrenOf(store, address))) {
        const lock = await lockIfThere(store, child);
        if (lock) trashed.push({ folder: store.work(child).folder, lock });
      }
      for (const { folder, lock } of trashed) await retireFolder(folder, lock);
      await retireFolder(store.work(address).folder, ownLock);
    } finally {
      for (const { lock } of trashed) await lock.release();
      await ownLock.release();
      for (const parent of parents) await markChange(store, parent);
    }
  });
}

/** Runs that are deleted with a Work: those started in it, and those called by them. */
export async function childrenOf(
  store: StoreLayout,
  { projectId, workId }: WorkAddress,
): Promise<RunAddress[]> {
  const owned: RunAddress[] = [];
  const called: { readonly address: RunAddress; readonly rootId: string }[] = [];
  for (const { record, ...listed } of (await listWorks(store, { projectId, isRun: true })) as ListedRun[]) {
    const address: RunAddress = { projectId, workId: listed.workId, isRun: true };
    const isOwn = record
      ? record.parentId === workId
      : address.workId !== workId && (await mentions(store.work(address).record, workId));
    if (isOwn) owned.push(address);
    else if (record?.call) called.push({ address, rootId: record.call.rootId });
  }
  // All called runs, at any depth, have the id of the root.
  const roots = new Set([workId, ...owned.map((address) => address.workId)]);
  return [...owned, ...called.flatMap(({ address, rootId }) => (roots.has(rootId) ? [address] : []))];
}

/** For a damaged record: the id occurs in it only if it is a reference. */
async function mentions(file: string, id: string): Promise<boolean> {
  return (await ifAllowed(readFile(file, 'utf8')))?.includes(id) ?? false;
}
