/**
 * Tallies of runs that were read before, in one document of the store, so that a report reads only the logs that changed. The log
 * is the truth: without the cache, or where it is damaged or outdated, the log is read again.
 */
import { type RunTally, runTallySchema } from '@crewagent/protocol/ledger';
import { nonEmptySchema } from '@crewagent/protocol/scalars';
import * as z from '@crewagent/protocol/zod';
import { CrewError } from '../base/crew-error.ts';
import type { Store } from '../store/store.ts';
import type { RunAddress } from '../store/work-address.ts';

export interface TallyCache {
  /** The tally of a run as of its present log. */
  get(address: RunAddress, read: () => Promise<RunTally>): Promise<RunTally>;
  /** Forgets runs that do not exist any more. Does nothing if nothing changed. */
  save(existing: Iterable<string>): Promise<void>;
}

const cacheSchema = z.strictObject({
  /** Increased whenever the same log gives another tally. */
  version: z.literal(1),
  runs: z.record(z.string(), z.strictObject({ logMark: nonEmptySchema, tally: runTallySchema })),
});

export async function openTallyCache({ works, tallies: document }: Store): Promise<TallyCache> {
  const parsed = cacheSchema.safeParse(await ignoreErrors(() => document.read()));
  const cached = new Map(parsed.success ? Object.entries(parsed.data.runs) : []);
  let isChanged = false;
  return {
    async get(address, read) {
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
    async save(existing) {
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
