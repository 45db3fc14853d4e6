/**
 * Undoes steps of a run and of its called runs in reverse order.
 */
import type { UndoneFile } from '@crewagent/protocol/journal';

/** A step that can be undone: a tool call, or the call of a sub-workflow. */
export type UndoStep = { readonly callId: string } | { readonly childId: string };

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
    // Keeps the first outcome of a file that could not be restored.
    for (const file of undone) if (!isStuck(files.get(file.path))) files.set(file.path, file);
  }
  return [...files.values()];
}

function isStuck(file: UndoneFile | undefined): boolean {
  return file !== undefined && ['conflict', 'not-recorded', 'failed'].includes(file.outcome);
}
