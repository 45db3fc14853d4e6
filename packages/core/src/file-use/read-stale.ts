/** Which results of runs are stale, from their logs, the files of the project now, and the installed packages. */
import { type FileVisit, toWrittenPaths } from '@crewagent/protocol/file-use';
import type { RunRecord } from '@crewagent/protocol/run';
import { findStale, pathsToJudge, type StaleFacts, type StaleVisit } from '@crewagent/protocol/stale';
import { remember } from '../base/remember.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import { compareWorkflows } from '../bmad/compare-packages.ts';
import { resolveInstalled } from '../bmad/installed-packages.ts';
import { loadInstalledVersion } from '../session/upgrade/installed-version.ts';
import { listRuns } from '../store/find-works.ts';
import type { Store } from '../store/store.ts';
import { type RunAddress, runBeside, toAddress } from '../store/work-address.ts';
import { openFileUses } from './file-use-cache.ts';
import { hashFiles } from './hash-files.ts';
import { ifReadable, openProject, readFileVisits } from './read-visits.ts';

export interface StaleDeps {
  readonly store: Store;
  readonly context: ValidationContext;
}

/** In the order of the visits. */
export async function readStale(address: RunAddress, deps: StaleDeps): Promise<StaleVisit[]> {
  const visits = await readFileVisits(address, deps.store);
  return judge(await deps.store.works.read(address), visits, createFacts(deps));
}

export interface StaleRun {
  readonly record: RunRecord;
  readonly steps: readonly StaleVisit[];
}

/** The runs of a project that have stale results, newest first. What a later run wrote is a result of that one only. */
export async function readStaleRuns(projectId: string, deps: StaleDeps): Promise<StaleRun[]> {
  const listed = await listRuns(deps.store, { projectId });
  const records = listed.flatMap(({ record }) => record ?? []);
  const facts = createFacts(deps, records);
  const uses = await openFileUses(deps.store);
  const stale: StaleRun[] = [];
  const writtenLater = new Set<string>();
  for (const record of records.filter(({ call }) => call === undefined)) {
    const steps = await ifReadable(async () => {
      const visits = await readFileVisits(toAddress(record), deps.store, uses.read);
      const found = await judge(record, visits, facts, (path) => writtenLater.has(path));
      for (const path of toWrittenPaths(visits)) writtenLater.add(path);
      return found;
    });
    const own = steps ?? [];
    if (own.some(({ results }) => results.length > 0)) stale.push({ record, steps: own });
  }
  await uses.save();
  return stale;
}

async function judge(
  record: RunRecord,
  visits: readonly FileVisit[],
  { hash, findChanged }: Facts,
  isOfOthers?: StaleFacts['isOfOthers'],
): Promise<StaleVisit[]> {
  const now = await hash(record, pathsToJudge(visits));
  const changes = new Map<string, ChangedSteps | undefined>();
  for (const runId of new Set(visits.map((visit) => visit.runId)))
    changes.set(runId, await ifReadable(() => findChanged(runBeside(toAddress(record), runId))));
  return findStale(visits, {
    now,
    ...(isOfOthers ? { isOfOthers } : {}),
    isStepChanged({ runId, nodes }) {
      const changed = changes.get(runId);
      return changed?.nodeIds.has(nodes.at(-1) ?? '') ? changed.version : undefined;
    },
  });
}

interface Facts {
  hash(record: RunRecord, paths: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
  /** Undefined if the run has the newest installed version. */
  findChanged(address: RunAddress): Promise<ChangedSteps | undefined>;
}

/** What runs of a project have in common is found once: their folder, the files in it, the newest packages. `known`: their records. */
function createFacts(deps: StaleDeps, known: readonly RunRecord[] = []): Facts {
  const records = new Map(known.map((record) => [record.workId, record]));
  const newest = new Map<string, ReturnType<typeof resolveInstalled>>();
  const projects = new Map<
    string,
    { files: ReturnType<typeof openProject>; now: Map<string, string | null> }
  >();
  return {
    async hash(record, paths) {
      const key = JSON.stringify([record.projectId, record.tools.fs.secretPatterns]);
      const project = projects.get(key) ?? { files: openProject(record, deps.store), now: new Map() };
      projects.set(key, project);
      const missing = paths.filter((path) => !project.now.has(path));
      if (missing.length > 0)
        for (const [path, hash] of await hashFiles(missing, await project.files)) project.now.set(path, hash);
      return project.now;
    },
    async findChanged(address) {
      const record = records.get(address.workId) ?? (await deps.store.works.read(address));
      const { packageName: name } = record;
      const found = newest.get(name) ?? resolveInstalled(deps.store, name, { isNewest: true });
      newest.set(name, found);
      return compareSteps(record, await found, deps);
    },
  };
}

interface ChangedSteps {
  readonly version: string;
  readonly nodeIds: ReadonlySet<string>;
  readonly removed: readonly string[];
}

/** Installed packages never change, so that a comparison is made once. */
const compared = remember<Promise<ChangedSteps | undefined>>(100);

/** The steps of a run's workflow that another version of the package changed or does not have. */
export async function compareSteps(
  { packageHash, workflowRef }: Pick<RunRecord, 'packageHash' | 'workflowRef'>,
  newest: { readonly hash: string; readonly version: string },
  { store, context }: StaleDeps,
): Promise<ChangedSteps | undefined> {
  if (newest.hash === packageHash) return undefined;
  const key = JSON.stringify([packageHash, newest.hash, workflowRef]);
  return compared(key, async () => {
    const [before, after] = [
      await loadInstalledVersion(packageHash, store, context),
      await loadInstalledVersion(newest.hash, store, context),
    ];
    const [old, next] = [before, after].map(({ package: { workflows } }) =>
      workflows.find(({ ref }) => ref === workflowRef),
    );
    if (!old || !next) return undefined;
    const { changed, removed } = compareWorkflows({ before, after }, old, next).nodes;
    return { version: newest.version, nodeIds: new Set([...changed, ...removed]), removed };
  });
}
