/**
 * Validates changes of a state document against the graph, and determines what the runtime adds. Pure.
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
  /** Result of the edge's condition for the current variables; advice, not enforced. */
  readonly condition?: Verdict;
}

export type TransitionVerdict =
  | {
      readonly ok: true;
      readonly from: string;
      readonly to: string;
      /** The edge taken; undefined if the run stays at its node. */
      readonly edge: GraphEdge | undefined;
      /** Entries the model omitted, added by the runtime. */
      readonly completedSteps: readonly string[];
      readonly completedDecisions: readonly Decision[];
      readonly notes: readonly string[];
    }
  /** `field`: the affected key of the document. */
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string; readonly field: string };

/** Keys of the state document that only the runtime may change. */
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
    return reject('E_PRECONDITION_FAILED', `"${owned}" is managed by the runtime; do not change it.`, owned);
  }
  const node = graph.nodes.find(({ id }) => id === to);
  if (!node) {
    return reject('E_INVALID_TRANSITION', `There is no node "${to}"; ${describeOutgoing(before, graph)}.`);
  }
  const removedStep = findRemovedStep(before, after);
  if (removedStep) return reject('E_INVALID_TRANSITION', removedStep, 'stepsCompleted');
  const changedDecision = findChangedDecision(before, after);
  if (changedDecision) return reject('E_INVALID_TRANSITION', changedDecision, 'decisionLog');
  const unseen = unseenStep(before, after, from);
  if (unseen) return reject('E_INVALID_TRANSITION', unseen, 'stepsCompleted');
  const early = earlyCompletion(before, after, from, graph);
  if (early) return reject('E_INVALID_TRANSITION', early, 'variables.workflowStatus');
  if (from === to) {
    return { ok: true, from, to, edge: undefined, completedSteps: [], completedDecisions: [], notes: [] };
  }
  const edges = graph.edges.filter((edge) => edge.from === from && edge.to === to);
  if (edges.length === 0) {
    return reject(
      'E_INVALID_TRANSITION',
      `No edge leads from "${from}" to "${to}"; ${describeOutgoing(before, graph)}.`,
    );
  }
  return complete({ before, after, edges, from, to, now }, graph);
}

/** The current node of a run: `currentNodeId`, or the entry node if it is empty. */
export function effectiveNode(state: WorkflowState, graph: WorkflowGraph): string {
  return state.currentNodeId.trim() || graph.entryNodeId;
}

export function isComplete(state: WorkflowState, graph: WorkflowGraph): boolean {
  if (state.variables.workflowStatus === 'complete') return true;
  const current = effectiveNode(state, graph);
  return state.stepsCompleted.includes(current) && isTerminal(current, graph);
}

/** Outgoing edges of the current node, with the results of their conditions. */
export function allowedNext(state: WorkflowState, graph: WorkflowGraph): AllowedEdge[] {
  const from = effectiveNode(state, graph);
  return graph.edges
    .filter((edge) => edge.from === from)
    .map(({ to, label, isDefault, conditionText, conditionExpr }) => ({
      to,
      label,
      isDefault: isDefault || undefined,
      conditionText,
      condition: conditionExpr === undefined ? undefined : evaluateCondition(conditionExpr, state.variables),
    }));
}

/** An end node, or a node without outgoing edges. */
export function isTerminal(id: string, graph: WorkflowGraph): boolean {
  return nodeOf(id, graph)?.type === 'end' || !graph.edges.some((edge) => edge.from === id);
}

function nodeOf(id: string, graph: WorkflowGraph): GraphNode | undefined {
  return graph.nodes.find((node) => node.id === id);
}

function findRemovedStep(before: WorkflowState, after: WorkflowState): string | undefined {
  const remaining = new Set(after.stepsCompleted);
  const step = before.stepsCompleted.find((id) => !remaining.has(id));
  return step === undefined
    ? undefined
    : `"${step}" was completed and must stay in stepsCompleted; only add to that list.`;
}

function findChangedDecision(before: WorkflowState, after: WorkflowState): string | undefined {
  const isRetained = before.decisionLog.every((entry, index) => isSameValue(entry, after.decisionLog[index]));
  return isRetained ? undefined : 'Existing decisionLog entries must not change; only append to that list.';
}

function unseenStep(before: WorkflowState, after: WorkflowState, from: string): string | undefined {
  const known = new Set(before.stepsCompleted);
  const added = after.stepsCompleted.find((id) => id !== from && !known.has(id));
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
  return `workflowStatus can be set to "complete" only at an end node; the run is at "${from}", and ${describeOutgoing(before, graph)}.`;
}

interface Move {
  readonly before: WorkflowState;
  readonly after: WorkflowState;
  readonly edges: readonly GraphEdge[];
  readonly from: string;
  readonly to: string;
  readonly now: string;
}

/** Adds the entries the model omitted when leaving a node. */
function complete({ before, after, edges, from, to, now }: Move, graph: WorkflowGraph): TransitionVerdict {
  const notes: string[] = [];
  const isOmitted = !after.stepsCompleted.includes(from);
  if (isOmitted) notes.push(`"${from}" was added to stepsCompleted, because the run left it.`);
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
    completedSteps: isOmitted ? [from] : [],
    completedDecisions: needsEntry ? [{ from, to, label: edge.label, decidedAt: now }] : [],
    notes,
  };
}

function describeOutgoing(state: WorkflowState, graph: WorkflowGraph): string {
  const from = effectiveNode(state, graph);
  const outgoing = graph.edges
    .filter((edge) => edge.from === from)
    .map(({ to, label }) => `"${to}" (${label})`);
  return outgoing.length === 0
    ? `there is no outgoing edge from "${from}"`
    : `from "${from}" the run can go to ${outgoing.join(' or ')}`;
}

function reject(code: ErrorCode, message: string, field = 'currentNodeId'): TransitionVerdict {
  return { ok: false, code, message, field };
}
