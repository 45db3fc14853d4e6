/** Rebuilds the requests of a Work from its log and compares them with the hashes of what was sent. */
import { expect } from 'vitest';
import { CrewError } from '../base/crew-error.ts';
import { type LookOptions, proveWorkRequests, rebuildWorkRequest } from '../session/show-context.ts';
import type { WorkAddress } from '../store/work-address.ts';

/** All of them in one pass over the log, and the first and the last as they are shown, each with a pass of its own. */
export async function expectProved(address: WorkAddress, options: LookOptions): Promise<void> {
  try {
    const log = await options.store.works.readLog(address, () => undefined);
    if (!log.isIntact) return;
    const { proved, unproved, unhashed } = await proveWorkRequests(address, options);
    expect({ unproved, unhashed }).toEqual({ unproved: [], unhashed: [] });
    for (const turn of new Set([proved[0], proved.at(-1)])) {
      if (turn === undefined) continue;
      const { shown } = await rebuildWorkRequest(address, turn, options);
      expect([turn, shown.isProved]).toEqual([turn, true]);
    }
  } catch (error) {
    // The test removed the Work or its package.
    if (!(error instanceof CrewError)) throw error;
  }
}
