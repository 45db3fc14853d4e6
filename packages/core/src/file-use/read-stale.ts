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
import { hashFiles } from './hash-files.ts';
import { ifReadable, openProject, readFileVisits } from './read-visits.ts';

export interface StaleDeps {
  readonly store: Store;
  readonly context: ValidationContext;
}

/** In the order of the visits. */
export async function readStale(address: RunAddress, deps: StaleDeps): Promise<StaleVisit[]> {
  const visits = await readFileVisits(address, deps.store);
  return judge(address, visits, deps);
}

export interface StaleRun {
  readonly record: RunRecord;
  readonly steps: readonly StaleVisit[];
}

/** The runs of a project that have stale results, newest first. What a later run wrote is a result of that one only. */
export async function readStaleRuns(projectId: string, deps: StaleDeps): Promise<StaleRun[]> {
  const listed = await listRuns(deps.store, { projectId });
  const records = listed.flatMap(({ record }) => (record && record.call === undefined ? [record] : []));
  const stale: StaleRun[] = [];
  const writtenLater = new Set<string>();
  for (const record of records) {
    const address = toAddress(record);
    const steps = await ifReadable(async () => {
      const visits = await readFileVisits(address, deps.store);
      const found = await judge(address, visits, deps, (path) => writtenLater.has(path));
      for (const path of toWrittenPaths(visits)) writtenLater.add(path);
      return found;
    });
    const own = steps ?? [];
    if (own.some(({ results }) => results.length > 0)) stale.push({ record, steps: own });
  }
  return stale;
}

async function judge(
  address: RunAddress,
  visits: readonly FileVisit[],
  deps: StaleDeps,
  isOfOthers?: StaleFacts['isOfOthers'],
): Promise<StaleVisit[]> {
  const now = await hashFiles(pathsToJudge(visits), await openProject(address, deps.store));
  const changes = new Map<string, ChangedSteps | undefined>();
  for (const runId of new Set(visits.map((visit) => visit.runId)))
    changes.set(runId, await ifReadable(() => findChangedSteps(runBeside(address, runId), deps)));
  return findStale(visits, {
    now,
    ...(isOfOthers ? { isOfOthers } : {}),
    isStepChanged({ runId, nodes }) {
      const changed = changes.get(runId);
      return changed?.nodeIds.has(nodes.at(-1) ?? '') ? changed.version : undefined;
    },
  });
}

interface ChangedSteps {
  readonly version: string;
  readonly nodeIds: ReadonlySet<string>;
}

/** Installed packages never change, so that a comparison is made once. */
const compared = remember<Promise<ChangedSteps | undefined>>(100);

/** Undefined if the run has the newest installed version. */
async function findChangedSteps(
  address: RunAddress,
  { store, context }: StaleDeps,
): Promise<ChangedSteps | undefined> {
  const { packageHash, packageName, workflowRef } = await store.works.read(address);
  const newest = await resolveInstalled(store, packageName, { isNewest: true });
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
    return { version: newest.version, nodeIds: new Set([...changed, ...removed]) };
  });
}
