/**
 * Rewinds a state document to an earlier node on a user's request. Completed steps and decisions stay; only what marks
 * the run as complete is removed, otherwise it would be complete again at once, and open calls, because their node is left.
 * Pure.
 */
import type { WorkflowGraph } from '@crewagent/protocol/workflow';
import { isSameValue } from './same-value.ts';
import { effectiveNode, isTerminal } from './transition.ts';
import { editState, updateFields } from './update-state.ts';
import { readWorkflowState, type WorkflowState } from './workflow-state.ts';

export interface RewoundState {
  readonly text: string;
  readonly state: WorkflowState;
  /** End nodes that no longer count as completed. */
  readonly stepsRemoved: readonly string[];
}

export interface Rewind {
  readonly to: string;
  readonly graph: WorkflowGraph;
  readonly now: string;
  /** Why a model asked for it; becomes an entry of the decision log. */
  readonly reason?: string | undefined;
}

/** Undefined if the document cannot be edited in place. */
export async function rewindState(
  text: string,
  before: WorkflowState,
  { to, graph, now, reason }: Rewind,
): Promise<RewoundState | undefined> {
  const stepsRemoved = before.stepsCompleted.filter((id) => isTerminal(id, graph));
  const { workflowStatus, ...variables } = before.variables;
  const from = effectiveNode(before, graph);
  const decisions = reason === undefined ? [] : [{ from, to, label: GO_BACK, reason, decidedAt: now }];
  const state = {
    ...before,
    currentNodeId: to,
    updatedAt: now,
    stepsCompleted: before.stepsCompleted.filter((id) => !stepsRemoved.includes(id)),
    variables: workflowStatus === 'complete' ? variables : before.variables,
    decisionLog: [...before.decisionLog, ...decisions],
    callStack: [],
  };
  // Only what differs, because the document may lack fields that the state has.
  const changed = Object.entries(state).filter(
    ([key, value]) => key !== 'decisionLog' && !isSameValue(value, before[key]),
  );
  const edited = await editState(text, (fields) =>
    updateFields({ ...fields, ...Object.fromEntries(changed) }, { decisionLog: { append: decisions } }),
  );
  if (!edited.ok) return undefined;
  const parsed = await readWorkflowState(edited.text);
  return parsed.ok && isSameValue(parsed.state, state)
    ? { text: edited.text, state, stepsRemoved }
    : undefined;
}

/** Label of the decision. */
const GO_BACK = 'go back';
