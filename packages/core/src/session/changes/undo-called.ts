/**
 * Undoes the file changes of a called run and of the runs it called, in the reverse order of their calls, because
 * they may have changed the same files.
 */
import type { UndoneFile } from '@crewagent/protocol/journal';
import { CrewError } from '../../base/crew-error.ts';
import type { Store } from '../../store/store.ts';
import type { RunAddress } from '../../store/work-address.ts';
import { openChanges } from './open-changes.ts';
import { type UndoStep, undoSteps } from './undo-steps.ts';

/** Undoes everything a called run changed; a no-op if the run was deleted. */
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
