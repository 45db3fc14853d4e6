/** How earlier runs of each package went: how many were completed, how long they took, and what one costs. */
import { addUsage, NO_USAGE } from '@crewagent/protocol/model';
import { listRuns } from '../store/find-works.ts';
import type { Store } from '../store/store.ts';
import { readLedger } from './read-ledger.ts';

export interface PackageHistory {
  readonly completed: number;
  /** Median from the start to the end, waiting for a person included. */
  readonly medianMs?: number;
  /** Average of a run; undefined if the price is unknown. */
  readonly costUsd?: number;
}

/** By the name of the package, so that an update keeps its history. Rehearsals are not counted. */
export async function readPackageHistory(store: Store): Promise<ReadonlyMap<string, PackageHistory>> {
  const durations = new Map<string, number[]>();
  for (const { record } of await listRuns(store)) {
    if (record?.phase !== 'Completed' || record.call || record.model.kind !== 'provider') continue;
    const took = Date.parse(record.updatedAt) - Date.parse(record.createdAt);
    durations.set(record.packageName, [...(durations.get(record.packageName) ?? []), took]);
  }
  const rows = await readLedger(store);
  return new Map(
    [...durations].map(([name, took]) => {
      const own = rows.filter((row) => row.package === name);
      const runs = own.reduce((sum, row) => sum + row.runs, 0);
      const { costUsd } = own.reduce((sum, row) => addUsage(sum, row.usage), NO_USAGE);
      const medianMs = took.toSorted((a, b) => a - b)[Math.floor(took.length / 2)];
      const cost = costUsd === undefined || runs === 0 ? {} : { costUsd: costUsd / runs };
      return [name, { completed: took.length, ...(medianMs === undefined ? {} : { medianMs }), ...cost }];
    }),
  );
}
