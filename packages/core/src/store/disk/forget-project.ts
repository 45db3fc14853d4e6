/**
 * Deletes the data of a project: its conversations and runs one by one, or everything including the project itself. Works
 * that are in use are not deleted. The folder of the project belongs to the user and is never changed.
 */
import { stat } from 'node:fs/promises';
import { CrewError } from '../../base/crew-error.ts';
import { ifPresent, withDiskErrors } from '../../base/errno.ts';
import type { ProjectStore } from '../project-store.ts';
import type { Cleared } from '../store.ts';
import { conversationBeside, type RunAddress, runBeside, type WorkAddress } from '../work-address.ts';
import type { ListedRun, ListedWork } from '../work-store.ts';
import { listAddresses, listWorks } from './find-works.ts';
import type { StoreLayout } from './layout.ts';
import type { FileLock } from './locks/file-lock.ts';
import { isWorkLocked, lockIfThere } from './locks/work-lock.ts';
import { moveToTrash, sweepStagedFolders, type TrashedFolder } from './staged-folder.ts';
import { childrenOf, deleteWork } from './work-folders.ts';

/** Includes archived conversations. A conversation is deleted with all its runs, or not at all. */
export async function clearProject(
  store: StoreLayout,
  projects: ProjectStore,
  projectId: string,
): Promise<Cleared> {
  await projects.read(projectId);
  for (const folder of store.worksFolders(projectId)) await sweepStagedFolders(folder);
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
  // A called run comes after its caller: both are deleted, or neither.
  const runs = ((await listWorks(store, { projectId, isRun: true })) as ListedRun[]).sort(
    (a, b) => depthOf(a) - depthOf(b),
  );
  for (const { workId, record } of runs) {
    const rootId = record?.call?.rootId;
    if (rootId !== undefined && (await exists(store.work(runBeside({ projectId }, rootId)).folder))) continue;
    if (remainingRuns.has(workId) || (await isOwned(store, projectId, record?.parentId))) continue;
    if (!(await deleteUnlessHeld(() => deleteWork(store, runBeside({ projectId }, workId), [])))) kept++;
  }
  const left = new Set((await listAddresses(store, { projectId })).map(({ workId }) => workId));
  const gone = before.filter(({ workId }) => !left.has(workId));
  const deletedRuns = gone.filter((work) => work.isRun).length;
  return { conversations: gone.length - deletedRuns, runs: deletedRuns, kept };
}

/** Atomic: throws RUN_LOCKED, without deleting anything, while a conversation or run of the project is in use. */
export async function forgetProject(
  store: StoreLayout,
  projects: ProjectStore,
  projectId: string,
): Promise<void> {
  await projects.read(projectId);
  for (const work of await listAddresses(store, { projectId }))
    if (await isWorkLocked(store, work)) throw inUse();
  const removeTrash = await withDiskErrors('Could not forget the project', async () => {
    await sweepStagedFolders(store.projectsFolder);
    return trashProject(store, projects, projectId);
  });
  await withDiskErrors('The project was forgotten, but some of its data could not be deleted', removeTrash);
}

/** Runs by conversation. Undefined if a record is damaged: the runs of each conversation then have to be searched. */
function groupRuns(runs: readonly ListedWork[]): ReadonlyMap<string, readonly RunAddress[]> | undefined {
  const groups = new Map<string, RunAddress[]>();
  for (const { projectId, workId, record } of runs) {
    if (!record) return undefined;
    const { parentId } = record;
    if (parentId === undefined) continue;
    const group = groups.get(parentId) ?? [];
    group.push(runBeside({ projectId }, workId));
    groups.set(parentId, group);
  }
  return groups;
}

function depthOf({ record }: ListedRun): number {
  return record?.call?.depth ?? 0;
}

/** Whether the conversation exists; it may have been created a moment ago. */
async function isOwned(store: StoreLayout, projectId: string, workId: string | undefined): Promise<boolean> {
  return workId !== undefined && exists(store.work(conversationBeside({ projectId }, workId)).folder);
}

/** Returns false if the Work is in use, and true if it was already deleted. */
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

/**
 * Removes the project from the list and moves its data to a trash folder, once no process is changing its files. Holds the
 * locks of all its Works meanwhile; throws if a Work was created in between. Returns a function that deletes the trash.
 */
async function trashProject(
  store: StoreLayout,
  projects: ProjectStore,
  projectId: string,
): Promise<() => Promise<void>> {
  const folder = store.projectFolder(projectId);
  const held = [await lockFileJournal(store, projectId)];
  const allHeld: FileLock = {
    async release() {
      for (const lock of held) await lock.release();
    },
  };
  let trash = NO_TRASH;
  try {
    const known = await listAddresses(store, { projectId });
    for (const work of known) held.push((await lockIfThere(store, work)) ?? NO_LOCK);
    const ids = new Set(known.map(({ workId }) => workId));
    const isKnown = ({ workId }: WorkAddress): boolean => ids.has(workId);
    await projects.remove(projectId, async () => {
      if (!(await listAddresses(store, { projectId })).every(isKnown)) throw inUse();
      if (await exists(folder)) trash = await moveToTrash(folder, allHeld);
      return trash;
    });
  } finally {
    await allHeld.release();
  }
  return trash.remove;
}

const NO_TRASH: TrashedFolder = { remove: () => Promise.resolve(), putBack: () => Promise.resolve() };

async function lockFileJournal(store: StoreLayout, projectId: string): Promise<FileLock> {
  const journal = store.fileJournal(projectId);
  if (!(await exists(journal))) return NO_LOCK;
  const { lockChanges } = await import('./changes/file-changes.ts');
  return lockChanges(journal);
}

const NO_LOCK: FileLock = { release: () => Promise.resolve() };

async function exists(path: string): Promise<boolean> {
  return (await ifPresent(stat(path))) !== undefined;
}

function inUse(): CrewError {
  return new CrewError(
    'RUN_LOCKED',
    'A conversation or a run of this project is in use; stop it first, then forget the project.',
  );
}
