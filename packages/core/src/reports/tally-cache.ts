/** Tallies of Works, cached by their logs. */
import { createRunTally, runTallySchema } from '@crewagent/protocol/ledger';
import type { Store } from '../store/store.ts';
import { openLogCache } from './log-cache.ts';

export function openTallyCache(store: Pick<Store, 'works' | 'tallies'>) {
  return openLogCache(store, store.tallies, {
    version: 3,
    schema: runTallySchema,
    createFold(workId) {
      const { add, tally } = createRunTally(workId);
      return { add, value: tally };
    },
  });
}
