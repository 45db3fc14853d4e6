/**
 * Tallies of Works that were read before, in one document of the store, so that a report reads only the logs that changed. The log
 * is the truth: without the cache, or where it is damaged or outdated, the log is read again.
 */
import { createRunTally, type RunTally, runTallySchema } from '@crewagent/protocol/ledger';
import { nonEmptySchema } from '@crewagent/protocol/scalars';
import * as z from '@crewagent/protocol/zod';
import { CrewError } from '../base/crew-error.ts';
import type { Store } from '../store/store.ts';
import type { WorkAddress } from '../store/work-address.ts';

const cacheSchema = z.strictObject({
  /** Increased whenever the same log gives another tally. */
  version: z.literal(2),
  works: z.record(z.string(), z.strictObject({ logMark: nonEmptySchema, tally: runTallySchema })),
});

export async function openTallyCache({ works, tallies: document }: Store) {
  const parsed = cacheSchema.safeParse(await ignoreErrors(() => document.read()));
  const cached = new Map(parsed.success ? Object.entries(parsed.data.works) : []);
  let isChanged = false;
  const read = async (address: WorkAddress): Promise<RunTally> => {
    const fold = createRunTally(address.workId);
    await works.readLog(address, (event) => fold.add(event));
    return fold.tally();
  };
  /** The tally of a Work as of its present log; undefined if the log has to be read and must not. */
  async function get(address: WorkAddress): Promise<RunTally>;
  async function get(address: WorkAddress, options: { mayRead: boolean }): Promise<RunTally | undefined>;
  async function get(address: WorkAddress, { mayRead } = { mayRead: true }): Promise<RunTally | undefined> {
    const { workId } = address;
    const logMark = await works.logMark(address);
    const known = cached.get(workId);
    if (known && known.logMark === logMark) return known.tally;
    if (!mayRead) return undefined;
    const tally = await read(address);
    if (logMark !== undefined) {
      cached.set(workId, { logMark, tally });
      isChanged = true;
    }
    return tally;
  }
  return {
    get,
    /** Forgets Works that do not exist any more. Does nothing if nothing changed. */
    async save(): Promise<void> {
      if (!isChanged) return;
      const ids = new Set((await works.addresses()).map(({ workId }) => workId));
      const kept = Object.fromEntries([...cached].filter(([workId]) => ids.has(workId)));
      await ignoreErrors(() => document.change((write) => write({ version: 2, works: kept })));
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
