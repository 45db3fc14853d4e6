/** Rebuilds the requests of a Work from its log and compares them with the hashes of what was sent. */
import { expect } from 'vitest';
import { CrewError } from '../base/crew-error.ts';
import { type LookOptions, rebuildWorkRequest } from '../session/show-context.ts';
import type { WorkAddress } from '../store/work-address.ts';

/** Each request is a pass over the log. */
const MAX_CHECKED = 12;

export async function expectProved(address: WorkAddress, options: LookOptions): Promise<void> {
  const turns: number[] = [];
  try {
    const log = await options.store.works.readLog(address, (event) => {
      if (event.type === 'turn.started') turns.push(event.turn);
    });
    if (!log.isIntact) return;
    const checked = turns.filter((_, index) => index % Math.ceil(turns.length / MAX_CHECKED) === 0);
    for (const turn of checked) {
      const { shown } = await rebuildWorkRequest(address, turn, options);
      expect([turn, shown.isProved]).toEqual([turn, true]);
    }
  } catch (error) {
    // The test removed the Work or its package.
    if (!(error instanceof CrewError)) throw error;
  }
}
