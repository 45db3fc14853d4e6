/**
 * All runs of a store, kept up to date by looking: whichever process changes a record, the next look sees it. Reads only
 * records that are not what they were.
 */
import { stat } from 'node:fs/promises';
import { errnoOf, withDiskErrors } from '../base/errno.ts';
import { mapLimit } from '../base/map-limit.ts';
import { type ListedRun, listRunAddresses, readListedRun } from './find-runs.ts';
import type { RunAddress, StoreLayout } from './layout.ts';

export interface RunWatch {
  /** What is different since the last look; the first look tells everything. */
  look(): Promise<RunChanges>;
  /** As of the last look, the newest first. */
  list(): readonly ListedRun[];
}

export interface RunChanges {
  readonly changed: readonly ListedRun[];
  readonly removed: readonly RunAddress[];
}

const LANES = 16;

interface Seen {
  readonly stamp: string;
  readonly run: ListedRun;
}

export function createRunWatch(store: StoreLayout): RunWatch {
  let known = new Map<string, Seen>();
  let looking: Promise<RunChanges> | undefined;

  const lookOnce = async (): Promise<RunChanges> => {
    const next = new Map<string, Seen>();
    const changed: ListedRun[] = [];
    const addresses = await listRunAddresses(store);
    const seen = await mapLimit(addresses, LANES, async (address) => {
      const stamp = await stampOf(store.run(address).record);
      const before = known.get(address.runId);
      if (before?.stamp === stamp) return before;
      const run = await readListedRun(store, address);
      if (run) changed.push(run);
      return run && { stamp, run };
    });
    for (const entry of seen) if (entry) next.set(entry.run.runId, entry);
    const removed = [...known.values()].map(({ run }) => run).filter(({ runId }) => !next.has(runId));
    known = next;
    return { changed, removed };
  };

  return {
    look() {
      looking ??= lookOnce().finally(() => {
        looking = undefined;
      });
      return looking;
    },
    list: () => [...known.values()].map(({ run }) => run),
  };
}

/** Changes whenever the record is replaced. */
async function stampOf(file: string): Promise<string> {
  return withDiskErrors('Could not look at a run', async () => {
    try {
      const { ino, size, mtimeNs } = await stat(file, { bigint: true });
      return `${ino}:${size}:${mtimeNs}`;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return 'missing';
      throw error;
    }
  });
}
