/**
 * Undoing what a run and the runs that it called did, in the reverse order in which it was done.
 */
import type { UndoneFile } from '@crewagent/protocol/journal';

/** Something that a run did and that can be undone: a tool call, or the call of a sub-workflow. */
export type UndoStep = { readonly callId: string } | { readonly childId: string };

/** Undoes some steps of a run, the last one first. */
export async function undoSteps(
  steps: readonly UndoStep[],
  undo: {
    call(callId: string): Promise<readonly UndoneFile[]>;
    child(childId: string): Promise<readonly UndoneFile[]>;
  },
): Promise<UndoneFile[]> {
  const files = new Map<string, UndoneFile>();
  for (const step of [...steps].reverse()) {
    const undone = 'childId' in step ? await undo.child(step.childId) : await undo.call(step.callId);
    // A file that could not be put back stays as it is, whatever else is undone.
    for (const file of undone) if (!isStuck(files.get(file.path))) files.set(file.path, file);
  }
  return [...files.values()];
}

function isStuck(file: UndoneFile | undefined): boolean {
  return file !== undefined && ['conflict', 'not-recorded', 'failed'].includes(file.outcome);
}
