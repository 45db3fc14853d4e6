/** The evidence sheet of a stored run, with the sheets of the runs that it called. */
import { MAX_CALL_DEPTH } from '@crewagent/protocol/call-depth';
import { createEvidence, type EvidenceSheet } from '@crewagent/protocol/evidence';
import { ifPossible } from '../base/crew-error.ts';
import type { Store } from '../store/store.ts';
import type { RunAddress } from '../store/work-address.ts';

export interface RunEvidence extends EvidenceSheet {
  readonly called: readonly RunEvidence[];
}

export async function readEvidence(store: Store, address: RunAddress, depth = 0): Promise<RunEvidence> {
  const fold = createEvidence(address.workId);
  await store.works.readLog(address, (event) => fold.add(event));
  return addCalledEvidence(store, address, fold.sheet(), depth);
}

/** Completes the sheet of a run that was folded while it ran. A called run that is gone is left out. */
export async function addCalledEvidence(
  store: Store,
  address: RunAddress,
  sheet: EvidenceSheet,
  depth = 0,
): Promise<RunEvidence> {
  const called: RunEvidence[] = [];
  for (const { calledRunId } of sheet.visits) {
    if (calledRunId === undefined || depth >= MAX_CALL_DEPTH) continue;
    const evidence = await ifPossible(readEvidence(store, { ...address, workId: calledRunId }, depth + 1));
    if (evidence) called.push(evidence);
  }
  return {
    ...sheet,
    called,
    // A called run need not be complete if its caller continued without it; what it waived and lacks counts.
    isProved:
      sheet.isProved &&
      called.every(({ waivers, missing, totals }) => waivers.length + missing.length + totals.claimed === 0),
    waivers: [...sheet.waivers, ...called.flatMap(({ waivers }) => waivers)],
    missing: [...sheet.missing, ...called.flatMap(({ missing }) => missing)],
  };
}
