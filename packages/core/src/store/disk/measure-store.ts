/**
 * Disk usage of the store, in total and by project, and whether it can be written. Sizes are added up without following links or
 * opening files; for the probe, a file is created, locked and deleted, as a run would do it.
 */
import { type Dirent, existsSync, lstatSync } from 'node:fs';
import { access, constants, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Project } from '@crewagent/protocol/project';
import { errnoOf, errnoSentence, withDiskErrors } from '../../base/errno.ts';
import { stagingName } from '../../base/staging.ts';
import type { ProjectSize, StoreProbe, StoreSizes } from '../store.ts';
import { isStoreId, type StoreLayout } from './layout.ts';
import { tryKernelLock } from './locks/open-lock.ts';

/** Far more than two hundred runs create. */
const MAX_ENTRIES = 200_000;

export async function measureStore(
  store: StoreLayout,
  known: readonly Pick<Project, 'projectId'>[],
  maxEntries = MAX_ENTRIES,
): Promise<StoreSizes> {
  return withDiskErrors('Could not measure the store', async () => {
    const budget = { left: maxEntries };
    const packages = await bytesIn(store.packagesFolder, budget);
    const sizes = new Map<string, number>();
    let inProjects = 0;
    for (const entry of await entriesOf(store.projectsFolder)) {
      const { name } = entry;
      if (!entry.isDirectory()) continue;
      const bytes = await bytesIn(join(store.projectsFolder, name), budget);
      sizes.set(name, bytes);
      inProjects += bytes;
    }
    const isOther = (name: string): boolean =>
      ![store.packagesFolder, store.projectsFolder].includes(join(store.root, name));
    const rest = await bytesIn(store.root, budget, isOther);
    const projects: ProjectSize[] = [];
    for (const { projectId } of known) {
      projects.push({
        projectId,
        conversations: await countIn(store.worksFolder(projectId, false), isStoreId),
        runs: await countIn(store.worksFolder(projectId, true), isStoreId),
        bytes: sizes.get(projectId) ?? 0,
      });
    }
    return {
      bytes: packages + inProjects + rest,
      packages: { count: await countIn(store.packagesFolder, (name) => HASH.test(name)), bytes: packages },
      projects,
      isCut: budget.left <= 0,
    };
  });
}

const HASH = /^[0-9a-f]{64}$/;

async function bytesIn(
  top: string,
  budget: { left: number },
  isCounted: (name: string) => boolean = () => true,
): Promise<number> {
  let bytes = 0;
  const pending = [top];
  for (let folder = pending.pop(); folder !== undefined && budget.left > 0; folder = pending.pop()) {
    for (const entry of await entriesOf(folder)) {
      if (folder === top && !isCounted(entry.name)) continue;
      if (budget.left-- <= 0) break;
      // Yields to other tasks: a folder may contain thousands of entries.
      if (budget.left % 500 === 0) await setImmediate();
      const path = join(folder, entry.name);
      if (entry.isDirectory()) pending.push(path);
      // Synchronous, since that is faster than the thread pool.
      else bytes += lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
    }
  }
  return bytes;
}

async function countIn(folder: string, fits: (name: string) => boolean): Promise<number> {
  return (await entriesOf(folder)).filter(({ name }) => fits(name)).length;
}

/** Tolerates folders that are deleted meanwhile. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}

export async function probeStore(root: string): Promise<StoreProbe> {
  if (existsSync(root)) return { exists: true, ...(await probeFolder(root)) };
  const { hasKernelLocks } = await probeFolder(tmpdir());
  const problem = await parentProblem(root);
  return { exists: false, hasKernelLocks, problem };
}

async function probeFolder(folder: string): Promise<Omit<StoreProbe, 'exists'>> {
  const file = join(folder, stagingName('writing'));
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      return { hasKernelLocks: tryKernelLock(handle.fd, { isShared: false }) === 'taken' };
    } finally {
      await handle.close();
      await rm(file, { force: true });
    }
  } catch (error) {
    const problem = errnoSentence(error);
    if (problem === undefined) throw error;
    return { problem, hasKernelLocks: false };
  }
}

/** Why a missing folder cannot be created. */
async function parentProblem(folder: string): Promise<string | undefined> {
  let parent = dirname(folder);
  while (!existsSync(parent) && parent !== dirname(parent)) parent = dirname(parent);
  try {
    await access(parent, constants.W_OK);
    return undefined;
  } catch (error) {
    return errnoSentence(error) ?? `"${parent}" is not writable`;
  }
}
