/**
 * Where a run is, from its state document and its package: the cost does not grow with its log. For lists of runs that wait.
 */
import { CrewError } from '../base/crew-error.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import type { Store } from '../store/store.ts';
import type { RunAddress } from '../store/work-address.ts';
import { readWorkflowState } from '../workflow/workflow-state.ts';
import { loadInstalled, resolveWorkflow } from './load-workflow.ts';

export interface StopPosition {
  /** Of the step; its id if it has none. */
  readonly title: string;
  /** Number of files the run has written. */
  readonly files: number;
  /** Whether there is a step to return to. */
  readonly canGoBack: boolean;
}

/** Undefined if the state document or the package cannot be read; the screen of the run says why. */
export async function readPosition(
  store: Store,
  address: RunAddress,
  context: ValidationContext,
): Promise<StopPosition | undefined> {
  const { packageHash, workflowRef } = await store.works.read(address);
  try {
    const parsed = await readWorkflowState((await store.works.openState(address).read()).text);
    if (!parsed.ok) return undefined;
    const { currentNodeId, stepsCompleted, artifacts } = parsed.state;
    const { nodes } = resolveWorkflow(await loadInstalled(packageHash, store, context), workflowRef);
    return {
      title: nodes.get(currentNodeId)?.title || currentNodeId,
      files: artifacts.length,
      canGoBack: stepsCompleted.some((nodeId) => nodeId !== currentNodeId),
    };
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    return undefined;
  }
}
