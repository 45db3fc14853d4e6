/** The ledger of a store: how models behaved in its runs, per model and package. */

import { MAX_CALL_DEPTH } from '@crewagent/protocol/call-depth';
import { addRows, type LedgerRow, type RunTally, sortRows, toRunRows } from '@crewagent/protocol/ledger';
import type { RunRecord } from '@crewagent/protocol/run';
import { listRuns } from '../store/find-works.ts';
import type { Store } from '../store/store.ts';
import { toAddress } from '../store/work-address.ts';
import { openTallyCache } from './tally-cache.ts';

export interface LedgerFilter {
  /** Name of a package; case does not matter. */
  readonly package?: string | undefined;
  /** Only runs that were created then or later. */
  readonly since?: Date | undefined;
}

/** Best first. Runs without a turn of a model are left out. Logs are read one at a time, and only if they changed. */
export async function readLedger(store: Store, filter: LedgerFilter = {}): Promise<LedgerRow[]> {
  const records = (await listRuns(store)).flatMap(({ record }) => record ?? []);
  const roots = records.filter((record) => !record.call && isWanted(record, filter));
  const rootIds = new Set(roots.map(({ workId }) => workId));
  const cache = await openTallyCache(store);
  const tallies = new Map<string, RunTally>();
  for (const record of records)
    if (rootIds.has(record.call?.rootId ?? record.workId))
      tallies.set(record.workId, await cache.get(toAddress(record)));
  await cache.save();
  const rows = roots.flatMap(({ workId, packageName }) => {
    const own = tallies.get(workId);
    return own ? toRunRows(packageName, own, listCalled(own, tallies)) : [];
  });
  return sortRows(addRows(rows));
}

function isWanted(
  { packageName, createdAt }: RunRecord,
  { package: wanted = packageName, since }: LedgerFilter,
): boolean {
  const isSame = packageName.toLowerCase() === wanted.toLowerCase();
  return isSame && (since === undefined || Date.parse(createdAt) >= since.getTime());
}

function listCalled({ called }: RunTally, tallies: ReadonlyMap<string, RunTally>, depth = 1): RunTally[] {
  if (depth > MAX_CALL_DEPTH) return [];
  return called
    .flatMap((runId) => tallies.get(runId) ?? [])
    .flatMap((tally) => [tally, ...listCalled(tally, tallies, depth + 1)]);
}
