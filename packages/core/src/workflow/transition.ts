/**
 * The law of the graph: which change of a state document is legal, and what the runtime completes by itself. Pure.
 */
import type { ErrorCode } from '@crewagent/protocol/errors';
import type { Decision, GraphEdge, GraphNode, WorkflowGraph } from '@crewagent/protocol/workflow';
import { evaluateCondition, type Verdict } from './condition.ts';
import { isSameValue } from './same-value.ts';
import type { WorkflowState } from './workflow-state.ts';

export interface AllowedEdge {
  readonly to: string;
  readonly label: string;
  readonly isDefault?: true;
  readonly conditionText?: string;
  /** What the edge's condition says about the variables as they are; advice, never a rule. */
  readonly condition?: Verdict;
}

export type TransitionVerdict =
  | {
      readonly ok: true;
      readonly from: string;
      readonly to: string;
      /** The edge that was taken; undefined when the run stays where it is. */
      readonly edge: GraphEdge | undefined;
      /** What the writer left out and the runtime adds. */
      readonly completedSteps: readonly string[];
      readonly completedDecisions: readonly Decision[];
      readonly notes: readonly string[];
    }
  /** `field`: the key of the document that it is about. */
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string; readonly field: string };

/** Keys of the state document that only the runtime changes. */
const RUNTIME_KEYS = [
  'runId',
  'activeAgentId',
  'workflowRef',
  'schemaVersion',
  'workflowType',
  'callStack',
] as const;

export function validateTransition(
  before: WorkflowState,
  after: WorkflowState,
  graph: WorkflowGraph,
  now: string,
): TransitionVerdict {
  const from = effectiveNode(before, graph);
  const to = effectiveNode(after, graph);
  const owned = RUNTIME_KEYS.find((key) => !isSameValue(before[key], after[key]));
  if (owned) {
    return refuse('E_PRECONDITION_FAILED', `"${owned}" belongs to the runtime; leave it as it is.`, owned);
  }
  const node = graph.nodes.find(({ id }) => id === to);
  if (!node) {
    return refuse('E_INVALID_TRANSITION', `There is no node "${to}"; ${waysOn(before, graph)}.`);
  }
  const lostStep = findLostStep(before, after);
  if (lostStep) return refuse('E_INVALID_TRANSITION', lostStep, 'stepsCompleted');
  const lostDecision = findLostDecision(before, after);
  if (lostDecision) return refuse('E_INVALID_TRANSITION', lostDecision, 'decisionLog');
  const unseen = unseenStep(before, after, from);
  if (unseen) return refuse('E_INVALID_TRANSITION', unseen, 'stepsCompleted');
  const early = earlyCompletion(before, after, from, graph);
  if (early) return refuse('E_INVALID_TRANSITION', early, 'variables.workflowStatus');
  if (from === to) {
    return { ok: true, from, to, edge: undefined, completedSteps: [], completedDecisions: [], notes: [] };
  }
  const edges = graph.edges.filter((edge) => edge.from === from && edge.to === to);
  if (edges.length === 0) {
    return refuse(
      'E_INVALID_TRANSITION',
      `No edge leads from "${from}" to "${to}"; ${waysOn(before, graph)}.`,
    );
  }
  return complete({ before, after, edges, from, to, now }, graph);
}

/** The node a run is at: what the document says, or the entry when it says nothing. */
export function effectiveNode(state: WorkflowState, graph: WorkflowGraph): string {
  return state.currentNodeId.trim() || graph.entryNodeId;
}

export function isComplete(state: WorkflowState, graph: WorkflowGraph): boolean {
  if (state.variables.workflowStatus === 'complete') return true;
  const current = effectiveNode(state, graph);
  return state.stepsCompleted.includes(current) && isTerminal(current, graph);
}

/** The edges that may be taken from where the run is, each with what its condition says now. */
export function allowedNext(state: WorkflowState, graph: WorkflowGraph): AllowedEdge[] {
  const from = effectiveNode(state, graph);
  return graph.edges
    .filter((edge) => edge.from === from)
    .map(({ to, label, isDefault, conditionText, conditionExpr }) => ({
      to,
      label,
      ...(isDefault ? { isDefault } : {}),
      ...(conditionText === undefined ? {} : { conditionText }),
      ...(conditionExpr === undefined
        ? {}
        : { condition: evaluateCondition(conditionExpr, state.variables) }),
    }));
}

/** An end, or a node that nothing leads on from. */
export function isTerminal(id: string, graph: WorkflowGraph): boolean {
  return nodeOf(id, graph)?.type === 'end' || !graph.edges.some((edge) => edge.from === id);
}

function nodeOf(id: string, graph: WorkflowGraph): GraphNode | undefined {
  return graph.nodes.find((node) => node.id === id);
}

function findLostStep(before: WorkflowState, after: WorkflowState): string | undefined {
  const step = before.stepsCompleted.find((id) => !after.stepsCompleted.includes(id));
  return step === undefined
    ? undefined
    : `"${step}" was completed and must stay in stepsCompleted; only add to that list.`;
}

function findLostDecision(before: WorkflowState, after: WorkflowState): string | undefined {
  const kept = before.decisionLog.every((entry, index) => isSameValue(entry, after.decisionLog[index]));
  return kept ? undefined : 'Entries of decisionLog must stay as they are; only add to the end of that list.';
}

function unseenStep(before: WorkflowState, after: WorkflowState, from: string): string | undefined {
  const added = after.stepsCompleted.find((id) => id !== from && !before.stepsCompleted.includes(id));
  return added === undefined
    ? undefined
    : `"${added}" cannot be completed now: the run is at "${from}", and only that node may be added to stepsCompleted.`;
}

function earlyCompletion(
  before: WorkflowState,
  after: WorkflowState,
  from: string,
  graph: WorkflowGraph,
): string | undefined {
  const wasSet = before.variables.workflowStatus === 'complete';
  if (wasSet || after.variables.workflowStatus !== 'complete' || isTerminal(from, graph)) return undefined;
  return `workflowStatus can be set to "complete" only at an end node; the run is at "${from}", and ${waysOn(before, graph)}.`;
}

interface Move {
  readonly before: WorkflowState;
  readonly after: WorkflowState;
  readonly edges: readonly GraphEdge[];
  readonly from: string;
  readonly to: string;
  readonly now: string;
}

/** Adds what a hurried writer forgot when leaving a node. */
function complete({ before, after, edges, from, to, now }: Move, graph: WorkflowGraph): TransitionVerdict {
  const notes: string[] = [];
  const isForgotten = !after.stepsCompleted.includes(from);
  if (isForgotten) notes.push(`"${from}" was added to stepsCompleted, because the run left it.`);
  const isRevisit = before.stepsCompleted.includes(from);
  const recent = isRevisit ? after.decisionLog.slice(before.decisionLog.length) : after.decisionLog;
  const decision = recent.findLast((entry) => entry.from === from && entry.to === to);
  const edge =
    edges.find(({ label }) => label === decision?.label) ?? edges.find((e) => e.isDefault) ?? edges[0];
  const needsEntry = nodeOf(from, graph)?.type === 'decision' && !decision && edge !== undefined;
  if (needsEntry) notes.push(`The decision "${from}" → "${to}" (${edge.label}) was added to decisionLog.`);
  return {
    ok: true,
    from,
    to,
    edge,
    completedSteps: isForgotten ? [from] : [],
    completedDecisions: needsEntry ? [{ from, to, label: edge.label, decidedAt: now }] : [],
    notes,
  };
}

function waysOn(state: WorkflowState, graph: WorkflowGraph): string {
  const from = effectiveNode(state, graph);
  const ways = graph.edges.filter((edge) => edge.from === from).map(({ to, label }) => `"${to}" (${label})`);
  return ways.length === 0
    ? `nothing leads on from "${from}"`
    : `from "${from}" the run may go to ${ways.join(' or ')}`;
}

function refuse(code: ErrorCode, message: string, field = 'currentNodeId'): TransitionVerdict {
  return { ok: false, code, message, field };
}
