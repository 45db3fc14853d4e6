/**
 * What a Work sees besides the project, the files of its package and of its state, by a few letters of their path.
 * Looked at through the mounts, whoever has it open; changes nothing.
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

/** Of a run; of the run that a conversation is in, else of its talk with an agent. */
export async function findMountedFiles(
  address: WorkAddress,
  query: MountedQuery,
  store: Store,
): Promise<FoundFiles> {
  const record = await store.works.read(address);
  const state = store.works.stateFolder(address);
  if (isRun(record)) return find(query, { pkg: store.packageFolder(record.packageHash), state });
  const { projectId, activeRunId: workId, agent } = record;
  if (workId !== undefined) return findMountedFiles({ projectId, workId, isRun: true }, query, store);
  return find(query, { pkg: agent && store.packageFolder(agent.package.hash), state });
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
    // A package that was removed, a state that nothing was written to yet.
    if (errnoOf(error) === 'ENOENT') return NOTHING;
    throw error;
  }
}
