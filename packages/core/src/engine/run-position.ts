/** The position of a run, read from its state document and cached until the document may have changed. */
import { CrewError } from '../base/crew-error.ts';
import { errnoOf } from '../base/errno.ts';
import { DamagedState, type StateDocument } from '../tools/state/state-file.ts';
import type { StateGate } from '../tools/state/state-gate.ts';
import { effectiveNode, isComplete } from '../workflow/transition.ts';
import type { WorkflowState } from '../workflow/workflow-state.ts';
import type { PlannedNode, WorkflowPlan } from './engine-sources.ts';

export interface RunPosition {
  /** Undefined in a thread. */
  readonly at: { readonly state: WorkflowState; readonly node: PlannedNode } | undefined;
  readonly nodeId: string | undefined;
  readonly isComplete: boolean;
}

const NO_POSITION: RunPosition = { at: undefined, nodeId: undefined, isComplete: false };

export type PositionReader = ReturnType<typeof createPositionReader>;

export function createPositionReader(plan: WorkflowPlan | undefined, gate: StateGate | undefined) {
  let cached: RunPosition | undefined;
  return {
    async read(): Promise<RunPosition> {
      cached ??= plan && gate ? await readPosition(plan, gate) : NO_POSITION;
      return cached;
    },
    /** Discards the cached position. */
    invalidate(): void {
      cached = undefined;
    },
  };
}

async function readPosition({ graph, nodes }: WorkflowPlan, gate: StateGate): Promise<RunPosition> {
  const { state } = await readState(gate);
  const nodeId = effectiveNode(state, graph);
  const node = nodes.get(nodeId);
  if (!node)
    throw new CrewError(
      'STATE_DAMAGED',
      `The state document names the node "${nodeId}", which the workflow does not have.`,
    );
  return { at: { state, node }, nodeId, isComplete: isComplete(state, graph) };
}

export async function readState(gate: StateGate): Promise<StateDocument> {
  try {
    return await gate.read();
  } catch (error) {
    if (error instanceof DamagedState)
      throw new CrewError('STATE_DAMAGED', error.message, {
        details: { ...error.error.details },
        cause: error,
      });
    if (errnoOf(error) === 'ENOENT')
      throw new CrewError('DISK', STATE_MISSING, { cause: error, details: { errno: 'ENOENT' } });
    throw error;
  }
}

const STATE_MISSING =
  'The state document of this run, workflow.md, is missing. Restore it and resume, or start a new run.';
