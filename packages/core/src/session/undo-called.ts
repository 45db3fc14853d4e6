/**
 * Takes back what the run of a sub-workflow changed in the project, and what the runs did that it called itself: in the
 * reverse order of their calls, because each may have changed the files of another.
 */
import type { UndoneFile } from '@crewagent/protocol/journal';
import { CrewError } from '../base/crew-error.ts';
import type { Store } from '../store/store.ts';
import type { RunAddress } from '../store/work-address.ts';
import { openChanges } from './open-changes.ts';
import { type UndoStep, undoSteps } from './undo-steps.ts';

/** All that a called run did. One that was deleted meanwhile has nothing to undo. */
export async function undoCalledRun(
  address: RunAddress,
  disk: { readonly store: Store; readonly now: () => Date },
): Promise<readonly UndoneFile[]> {
  const steps: UndoStep[] = [];
  await disk.store.works.readLog(address, (event) => {
    if (event.type === 'tool.started') steps.push({ callId: event.callId });
    if (event.type === 'call.started') steps.push({ childId: event.childId });
  });
  const changes = await openChanges(address, disk).catch((error: unknown) => {
    if (error instanceof CrewError && error.code === 'RUN_NOT_FOUND') return undefined;
    throw error;
  });
  if (!changes) return [];
  try {
    const changed = new Set(changes.journal.list().flatMap(({ callId, undone }) => (undone ? [] : [callId])));
    return await undoSteps(steps, {
      call: async (callId) => (changed.has(callId) ? changes.undo({ callId }) : []),
      child: (workId) => undoCalledRun({ ...address, workId }, disk),
    });
  } finally {
    await changes.close();
  }
}
