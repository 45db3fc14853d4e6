/**
 * A state document as it is when a person takes the run back to an earlier node. History stays true: what was completed and
 * decided stays written. Only what says that the run is complete is taken away, or it would be complete again at once. Pure.
 */
import type { WorkflowGraph } from '@crewagent/protocol/workflow';
import { readFrontmatter } from './frontmatter.ts';
import { isSameValue } from './same-value.ts';
import { isTerminal } from './transition.ts';
import { updateStateText } from './update-state.ts';
import { readWorkflowState, STATE_LIMITS, type WorkflowState } from './workflow-state.ts';

export interface RewoundState {
  readonly text: string;
  readonly state: WorkflowState;
  /** Ends that no longer count as completed. */
  readonly stepsRemoved: readonly string[];
}

export interface Rewind {
  readonly to: string;
  readonly graph: WorkflowGraph;
  readonly now: string;
}

/** Undefined where the document is written in a way that cannot be edited. */
export async function rewindState(
  text: string,
  before: WorkflowState,
  { to, graph, now }: Rewind,
): Promise<RewoundState | undefined> {
  const stepsRemoved = before.stepsCompleted.filter((id) => isTerminal(id, graph));
  const { workflowStatus, ...variables } = before.variables;
  const isMarked = workflowStatus === 'complete';
  const state = {
    ...before,
    currentNodeId: to,
    updatedAt: now,
    stepsCompleted: before.stepsCompleted.filter((id) => !stepsRemoved.includes(id)),
    variables: isMarked ? variables : before.variables,
  };
  const moved = await updateStateText(text, { currentNodeId: { set: to }, updatedAt: { set: now } });
  if (!moved.ok) return undefined;
  const next =
    isMarked || stepsRemoved.length > 0 ? await reopen(moved.text, { stepsRemoved, isMarked }) : moved.text;
  if (next === undefined) return undefined;
  const parsed = await readWorkflowState(next);
  return parsed.ok && isSameValue(parsed.state, state) ? { text: next, state, stepsRemoved } : undefined;
}

async function reopen(
  text: string,
  { stepsRemoved, isMarked }: { stepsRemoved: readonly string[]; isMarked: boolean },
): Promise<string | undefined> {
  const parsed = await readFrontmatter(text, { limits: STATE_LIMITS });
  if (!parsed.ok) return undefined;
  const { reopenDocument } = await import('./edit-yaml-document.ts');
  const head = reopenDocument(text.slice(0, text.length - parsed.body.length), { stepsRemoved, isMarked });
  return head === undefined ? undefined : head + parsed.body;
}
