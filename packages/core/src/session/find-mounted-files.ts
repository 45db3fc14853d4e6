/**
 * Finds files of a Work's package and state folder by a few letters of their path. Reads through the mounts, needs no
 * lock and changes nothing.
 */

import { errnoOf } from '../base/errno.ts';
import { createMountedFs, type MountRoots } from '../mounts/mounted-fs.ts';
import { type FindOptions, type FoundFiles, findFiles } from '../project-files/find-files.ts';
import type { Store } from '../store/store.ts';
import { runBeside, type WorkAddress } from '../store/work-address.ts';

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
  const { activeRunId, agent, packageHash = agent?.package.hash } = await store.works.read(address);
  if (activeRunId !== undefined) return findMountedFiles(runBeside(address, activeRunId), query, store);
  const pkg = packageHash === undefined ? undefined : store.packages.folder(packageHash);
  return find(query, { pkg, state: await store.works.stateFolder(address) });
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
