/**
 * Finding runs: all of them, or the one a person means.
 */
import type { RunRecord } from '@crewagent/protocol/run';
import {
  isLast,
  type Listed,
  listAddresses,
  listRecords,
  matchId,
  type ProjectFilter,
  type RecordKind,
  requireOne,
} from './find-records.ts';
import type { RunAddress, StoreLayout } from './layout.ts';
import { readRunRecord } from './run-store.ts';

export type ListedRun = Listed<RunAddress, RunRecord>;

export type RunFilter = ProjectFilter;

/** The newest first. A damaged one is listed as such. */
export async function listRuns(store: StoreLayout, filter: RunFilter = {}): Promise<ListedRun[]> {
  return listRecords(store, runsOf(store), filter);
}

/** The one run meant by an id, its beginning or its end, or `last`. */
export async function resolveRun(
  store: StoreLayout,
  ref: string,
  filter: RunFilter = {},
): Promise<RunAddress> {
  const kind = runsOf(store);
  const runs = await listAddresses(store, kind, filter);
  return requireOne(kind, isLast(ref) ? runs.slice(0, 1) : matchId(kind, runs, ref), ref);
}

export function runsOf(store: StoreLayout): RecordKind<RunAddress, RunRecord> {
  return {
    noun: 'run',
    notFound: 'RUN_NOT_FOUND',
    ambiguous: 'RUN_AMBIGUOUS',
    folderOf: (projectId) => store.runsFolder(projectId),
    addressOf: (projectId, runId) => ({ projectId, runId }),
    idOf: ({ runId }) => runId,
    pathsOf: (address) => store.run(address),
    read: (address) => readRunRecord(store, address),
  };
}
