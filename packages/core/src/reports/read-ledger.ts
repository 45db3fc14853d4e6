/** The ledger of a store: how models behaved in its runs, per model and package. */

import { MAX_CALL_DEPTH } from '@crewagent/protocol/call-depth';
import {
  addRows,
  createRunTally,
  type LedgerRow,
  type RunTally,
  runTallySchema,
  sortRows,
  toRunRows,
} from '@crewagent/protocol/ledger';
import type { RunRecord } from '@crewagent/protocol/run';
import { nonEmptySchema } from '@crewagent/protocol/scalars';
import * as z from '@crewagent/protocol/zod';
import { CrewError } from '../base/crew-error.ts';
import { listRuns } from '../store/find-works.ts';
import type { Store } from '../store/store.ts';
import { type RunAddress, toAddress } from '../store/work-address.ts';

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
      tallies.set(record.workId, await cache.get(toAddress(record), () => readTally(store, record)));
  await cache.save(records.map(({ workId }) => workId));
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

async function readTally({ works }: Store, record: RunRecord): Promise<RunTally> {
  const fold = createRunTally(record.workId);
  await works.readLog(toAddress(record), (event) => fold.add(event));
  return fold.tally();
}

function listCalled({ called }: RunTally, tallies: ReadonlyMap<string, RunTally>, depth = 1): RunTally[] {
  if (depth > MAX_CALL_DEPTH) return [];
  return called
    .flatMap((runId) => tallies.get(runId) ?? [])
    .flatMap((tally) => [tally, ...listCalled(tally, tallies, depth + 1)]);
}

const cacheSchema = z.strictObject({
  /** Increased whenever the same log gives another tally. */
  version: z.literal(1),
  runs: z.record(z.string(), z.strictObject({ logMark: nonEmptySchema, tally: runTallySchema })),
});

/**
 * Tallies of runs that were read before, in one document of the store, so that a report reads only the logs that changed. The log
 * is the truth: without the cache, or where it is damaged or outdated, the log is read again.
 */
async function openTallyCache({ works, tallies: document }: Store) {
  const parsed = cacheSchema.safeParse(await ignoreErrors(() => document.read()));
  const cached = new Map(parsed.success ? Object.entries(parsed.data.runs) : []);
  let isChanged = false;
  return {
    /** The tally of a run as of its present log. */
    async get(address: RunAddress, read: () => Promise<RunTally>): Promise<RunTally> {
      const { workId } = address;
      const logMark = await works.logMark(address);
      const known = cached.get(workId);
      if (known && known.logMark === logMark) return known.tally;
      const tally = await read();
      if (logMark !== undefined) {
        cached.set(workId, { logMark, tally });
        isChanged = true;
      }
      return tally;
    },
    /** Forgets runs that do not exist any more. Does nothing if nothing changed. */
    async save(existing: Iterable<string>): Promise<void> {
      if (!isChanged) return;
      const ids = new Set(existing);
      const runs = Object.fromEntries([...cached].filter(([workId]) => ids.has(workId)));
      await ignoreErrors(() => document.change((write) => write({ version: 1, runs })));
    },
  };
}

/** A report does not need the cache. */
async function ignoreErrors<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CrewError) return undefined;
    throw error;
  }
}
