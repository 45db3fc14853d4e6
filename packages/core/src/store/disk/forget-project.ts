/**
 * Deletes what belongs to a project: its conversations and runs one by one, or all of it at once with the project itself. What
 * somebody works on stays. The folder of the project is a person's own and is never touched.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isRun } from '@crewagent/protocol/work';
import { CrewError } from '../../base/crew-error.ts';
import { errnoOf, withDiskErrors } from '../../base/errno.ts';
import type { RunAddress, WorkAddress } from '../work-address.ts';
import type { ListedRun, ListedWork } from '../work-store.ts';
import { type FileLock, lockFile } from './file-lock.ts';
import { listAddresses, listWorks } from './find-works.ts';
import { createStoreLayout, type StoreLayout, type StorePaths } from './layout.ts';
import { readProject, removeProject } from './project-store.ts';
import { moveToTrash, sweepStagedFolders, type TrashedFolder } from './staged-folder.ts';
import { childrenOf, deleteWork } from './work-folders.ts';
import { isWorkLocked, lockIfThere } from './work-lock.ts';

export interface Cleared {
  /** What is gone. */
  readonly works: readonly WorkAddress[];
  /** How many conversations, and runs outside of them, go on and stay. */
  readonly kept: number;
}

/** Conversations that were put away go as well; a conversation takes its runs with it, or stays with all of them. */
export async function clearProject({ root }: StorePaths, projectId: string): Promise<Cleared> {
  const store = createStoreLayout(root);
  await readProject(store, projectId);
  const before = await listAddresses(store, { projectId });
  const ownRuns = groupRuns(await listWorks(store, { projectId, isRun: true }));
  const remainingRuns = new Set<string>();
  let kept = 0;
  for (const address of before.filter((work) => !work.isRun)) {
    const own = ownRuns && (ownRuns.get(address.workId) ?? []);
    if (await deleteUnlessHeld(() => deleteWork(store, address, own))) continue;
    kept++;
    for (const { workId } of await childrenOf(store, address)) remainingRuns.add(workId);
  }
  // What a run called comes after it: it goes with that run, and stays with it.
  const runs = ((await listWorks(store, { projectId, isRun: true })) as ListedRun[]).sort(
    (a, b) => depthOf(a) - depthOf(b),
  );
  for (const { workId, record } of runs) {
    const rootId = record?.call?.rootId;
    if (
      rootId !== undefined &&
      (await isThere(store.work({ projectId, workId: rootId, isRun: true }).folder))
    )
      continue;
    if (remainingRuns.has(workId) || (await isOwned(store, projectId, record?.parentId))) continue;
    if (!(await deleteUnlessHeld(() => deleteWork(store, { projectId, workId, isRun: true }, [])))) kept++;
  }
  const left = await listWork(store, projectId);
  return { works: before.filter(({ workId }) => !left.has(workId)), kept };
}

/** All of it at once, or refused with everything as it was: while somebody works on a conversation or a run of it. */
export async function forgetProject({ root }: StorePaths, projectId: string): Promise<void> {
  const store = createStoreLayout(root);
  await readProject(store, projectId);
  for (const work of await listAddresses(store, { projectId }))
    if (await isWorkLocked(store, work)) throw inUse();
  const removeRest = await withDiskErrors('Could not forget the project', async () => {
    await sweepStagedFolders(store.projects);
    return takeAway(store, projectId);
  });
  await withDiskErrors('The project is forgotten, but something of it is left in the store', removeRest);
}

/** The ids of all that is kept for a project now, damaged and put away ones included. */
export async function listWork({ root }: StorePaths, projectId: string): Promise<ReadonlySet<string>> {
  const store = createStoreLayout(root);
  return new Set((await listAddresses(store, { projectId })).map(({ workId }) => workId));
}

/** The runs of each conversation. Undefined where one cannot be read: then each conversation has to look for itself. */
function groupRuns(runs: readonly ListedWork[]): ReadonlyMap<string, readonly RunAddress[]> | undefined {
  const groups = new Map<string, RunAddress[]>();
  for (const { projectId, workId, record } of runs) {
    if (!record || !isRun(record)) return undefined;
    const { parentId } = record;
    if (parentId === undefined) continue;
    groups.set(parentId, [...(groups.get(parentId) ?? []), { projectId, workId, isRun: true }]);
  }
  return groups;
}

function depthOf({ record }: ListedRun): number {
  return record?.call?.depth ?? 0;
}

/** By a conversation that is there, and may have been begun a moment ago. */
async function isOwned(store: StoreLayout, projectId: string, workId: string | undefined): Promise<boolean> {
  return workId !== undefined && isThere(store.work({ projectId, workId, isRun: false }).folder);
}

/** False for what somebody works on. What is gone already is gone. */
async function deleteUnlessHeld(remove: () => Promise<void>): Promise<boolean> {
  try {
    await remove();
    return true;
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    if (error.code === 'RUN_LOCKED') return false;
    if (error.code === 'RUN_NOT_FOUND' || error.code === 'CONVERSATION_NOT_FOUND') return true;
    throw error;
  }
}

const WAIT_MS = 10_000;

/**
 * The project goes off the list and all that is kept for it out of its place, once nobody is in the middle of changing its
 * files. Meanwhile nobody can take up what is there, since we hold it all; where something was begun, the project stays.
 * Answers how to delete what is out of its place.
 */
async function takeAway(store: StoreLayout, projectId: string): Promise<() => Promise<void>> {
  const folder = store.projectFolder(projectId);
  const held = [await lockFileJournal(store, projectId)];
  const allHeld: FileLock = {
    async release() {
      for (const lock of held) await lock.release();
    },
  };
  let aside = NOTHING_TRASHED;
  try {
    const known = await listAddresses(store, { projectId });
    for (const work of known) held.push((await lockIfThere(store, work)) ?? NOBODYS_LOCK);
    const isKnown = ({ workId }: WorkAddress): boolean => known.some((work) => work.workId === workId);
    await removeProject(store, projectId, async () => {
      if (!(await listAddresses(store, { projectId })).every(isKnown)) throw inUse();
      if (await isThere(folder)) aside = await moveToTrash(folder, allHeld);
      return aside;
    });
  } finally {
    await allHeld.release();
  }
  return aside.remove;
}

const NOTHING_TRASHED: TrashedFolder = { remove: () => Promise.resolve(), putBack: () => Promise.resolve() };

async function lockFileJournal(store: StoreLayout, projectId: string): Promise<FileLock> {
  const journal = store.fileJournal(projectId);
  if (!(await isThere(journal))) return NOBODYS_LOCK;
  const attempt = await lockFile(join(journal, 'lock'), { waitMs: WAIT_MS });
  if (attempt.isAccepted) return attempt.lock;
  throw new CrewError('DISK', 'Another process is changing the files of this project; try again.');
}

const NOBODYS_LOCK: FileLock = { release: () => Promise.resolve() };

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

function inUse(): CrewError {
  return new CrewError(
    'RUN_LOCKED',
    'A conversation or a run of this project goes on; stop it first, then forget the project.',
  );
}
