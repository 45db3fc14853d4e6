/**
 * Rewinds a state document to an earlier node on a user's request. Completed steps and decisions stay; only what marks
 * the run as complete is removed, otherwise it would be complete again at once, and open calls, because their node is left.
 * Pure.
 */
import type { WorkflowGraph } from '@crewagent/protocol/workflow';
import { readFrontmatter } from './frontmatter.ts';
import { isSameValue } from './same-value.ts';
import { effectiveNode, isTerminal } from './transition.ts';
import { setCallStack, updateStateText } from './update-state.ts';
import { readWorkflowState, STATE_LIMITS, type WorkflowState } from './workflow-state.ts';

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
  const isMarkedComplete = workflowStatus === 'complete';
  const state = {
    ...before,
    currentNodeId: to,
    updatedAt: now,
    stepsCompleted: before.stepsCompleted.filter((id) => !stepsRemoved.includes(id)),
    variables: isMarkedComplete ? variables : before.variables,
    decisionLog: [...before.decisionLog, ...decisions],
    callStack: [],
  };
  const moved = await updateStateText(text, {
    currentNodeId: { set: to },
    updatedAt: { set: now },
    ...(decisions.length > 0 ? { decisionLog: { append: decisions } } : {}),
  });
  if (!moved.ok) return undefined;
  const reopened =
    isMarkedComplete || stepsRemoved.length > 0
      ? await reopen(moved.text, { stepsRemoved, isMarkedComplete })
      : moved.text;
  if (reopened === undefined) return undefined;
  const next = before.callStack.length > 0 ? await withoutCalls(reopened) : reopened;
  if (next === undefined) return undefined;
  const parsed = await readWorkflowState(next);
  return parsed.ok && isSameValue(parsed.state, state) ? { text: next, state, stepsRemoved } : undefined;
}

/** Label of the decision. */
const GO_BACK = 'go back';

async function withoutCalls(text: string): Promise<string | undefined> {
  const edited = await setCallStack(text, []);
  return edited.ok ? edited.text : undefined;
}

async function reopen(
  text: string,
  { stepsRemoved, isMarkedComplete }: { stepsRemoved: readonly string[]; isMarkedComplete: boolean },
): Promise<string | undefined> {
  const parsed = await readFrontmatter(text, { limits: STATE_LIMITS });
  if (!parsed.ok) return undefined;
  const { reopenDocument } = await import('./edit-yaml-document.ts');
  const head = reopenDocument(text.slice(0, text.length - parsed.body.length), {
    stepsRemoved,
    isMarkedComplete,
  });
  return head === undefined ? undefined : head + parsed.body;
}
