/** The visits of a run and of the runs that it called, with the files that each read and wrote. Logs are read only when they changed. */
import { createFileUse, type FileUse, type FileVisit, toVisits } from '@crewagent/protocol/file-use';
import type { RunRecord } from '@crewagent/protocol/run';
import { CrewError } from '../base/crew-error.ts';
import { createMountedFs, type MountedFs } from '../mounts/mounted-fs.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import { requireFolder } from '../store/project-store.ts';
import type { Store } from '../store/store.ts';
import { type RunAddress, runBeside } from '../store/work-address.ts';

/** `readUse`: default: reads a log unless it was read before and has not changed. */
export async function readFileVisits(
  address: RunAddress,
  store: Store,
  readUse: (address: RunAddress) => Promise<FileUse> = (each) => readFileUse(each, store),
): Promise<FileVisit[]> {
  const uses = new Map<string, FileUse>();
  const read = async (workId: string): Promise<void> => {
    if (uses.has(workId)) return;
    const use = await readUse(runBeside(address, workId));
    uses.set(workId, use);
    for (const step of use.steps) if (step.kind === 'call') await read(step.childId);
  };
  await read(address.workId);
  return toVisits(uses.get(address.workId) ?? { runId: address.workId, steps: [] }, (id) => uses.get(id));
}

const MAX_CACHED = 500;
type Cache = Map<string, { readonly mark: string; readonly use: FileUse }>;
const caches = new WeakMap<Store['works'], Cache>();

/** Empty for a run that was deleted. */
export async function readFileUse(address: RunAddress, { works }: Store): Promise<FileUse> {
  const { workId } = address;
  const cache: Cache = caches.get(works) ?? new Map();
  caches.set(works, cache);
  const mark = await works.logMark(address);
  const known = cache.get(workId);
  if (known && known.mark === mark) return known.use;
  const use = createFileUse(workId);
  await works.readLog(address, use.add);
  const [oldest] = cache.keys();
  if (cache.size >= MAX_CACHED && oldest !== undefined) cache.delete(oldest);
  if (mark !== undefined) cache.set(workId, { mark, use });
  return use;
}

/** The project of a run, as its tools may read it. */
export async function openProject(
  { tools, projectId }: Pick<RunRecord, 'tools' | 'projectId'>,
  { projects }: Store,
): Promise<Pick<MountedFs, 'withFile'>> {
  const { path: project } = await projects.read(projectId);
  await requireFolder(project);
  return createMountedFs(
    { project, pkg: undefined, state: undefined },
    createSecretCheck(tools.fs.secretPatterns),
  );
}

/** Ignores an error that a person can fix: one Work less in a list. */
export async function ifReadable<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CrewError) return undefined;
    throw error;
  }
}
