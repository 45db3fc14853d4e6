/**
 * Finds files of a Work's package and state folder by a few letters of their path. Reads through the mounts, needs no
 * lock and changes nothing.
 */

import { isRun } from '@crewagent/protocol/work';
import { errnoOf } from '../base/errno.ts';
import { createMountedFs, type MountRoots } from '../mounts/mounted-fs.ts';
import { type FindOptions, type FoundFiles, findFiles } from '../project-files/find-files.ts';
import type { Store } from '../store/store.ts';
import type { WorkAddress } from '../store/work-address.ts';

export interface MountedQuery extends FindOptions {
  readonly mount: 'pkg' | 'state';
  readonly text: string;
}

/** Searches the mounts of a run; for a conversation those of its active run, otherwise those of its thread. */
export async function findMountedFiles(
  address: WorkAddress,
  query: MountedQuery,
  store: Store,
): Promise<FoundFiles> {
  const record = await store.works.read(address);
  const state = store.works.stateFolder(address);
  if (isRun(record)) return find(query, { pkg: store.packages.folder(record.packageHash), state });
  const { projectId, activeRunId: workId, agent } = record;
  if (workId !== undefined) return findMountedFiles({ projectId, workId, isRun: true }, query, store);
  return find(query, { pkg: agent && store.packages.folder(agent.package.hash), state });
}

const NOTHING: FoundFiles = { paths: [], isCut: false };

async function find(
  { mount, text, ...options }: MountedQuery,
  roots: Omit<MountRoots, 'project'>,
): Promise<FoundFiles> {
  if (roots[mount] === undefined) return NOTHING;
  const isSecret = (): boolean => false;
  const tree = createMountedFs({ ...roots, project: undefined }, isSecret);
  try {
    return await findFiles(text, { tree, isSecret, mount: `@${mount}` }, options);
  } catch (error) {
    // The package was removed, or nothing was written to the state folder yet.
    if (errnoOf(error) === 'ENOENT') return NOTHING;
    throw error;
  }
}
