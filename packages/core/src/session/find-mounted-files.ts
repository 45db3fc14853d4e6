/**
 * What a run or a talk sees besides the project, the files of its package and of its state, by a few letters of their path.
 * Looked at through the mounts, whoever has it open; changes nothing.
 */
import { errnoOf } from '../base/errno.ts';
import { createMountedFs, type MountRoots } from '../mounts/mounted-fs.ts';
import { type FindOptions, type FoundFiles, findFiles } from '../project-files/find-files.ts';
import { readConversationRecord } from '../store/conversation-store.ts';
import type { ConversationAddress, RunAddress, StoreLayout } from '../store/layout.ts';
import { readRunRecord } from '../store/run-store.ts';

export interface MountedQuery extends FindOptions {
  readonly mount: 'pkg' | 'state';
  readonly text: string;
}

export async function findRunFiles(
  address: RunAddress,
  query: MountedQuery,
  store: StoreLayout,
): Promise<FoundFiles> {
  const { packageHash } = await readRunRecord(store, address);
  return find(query, { pkg: store.packageFolder(packageHash), state: store.run(address).state });
}

/** Of the run one is in, else of the talk with its agent. */
export async function findTalkFiles(
  address: ConversationAddress,
  query: MountedQuery,
  store: StoreLayout,
): Promise<FoundFiles> {
  const { projectId, activeRunId: runId, agent } = await readConversationRecord(store, address);
  if (runId !== undefined) return findRunFiles({ projectId, runId }, query, store);
  const pkg = agent && store.packageFolder(agent.package.hash);
  return find(query, { pkg, state: store.conversation(address).state });
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
