/**
 * Tools that change the state document: `runtime.complete_node` and `runtime.go_back` in every run, `runtime.update_state` in
 * strict mode, where no other tool may change it. All changes go through the state gate.
 */
import { STATE_DOCUMENT } from '@crewagent/protocol/tool-effects';
import type { ToolFailure, ToolResult } from '@crewagent/protocol/tools';
import { type GraphEdge, type StateUpdate, stateUpdateSchema } from '@crewagent/protocol/workflow';
import * as z from '@crewagent/protocol/zod';
import { recentItems } from '../workflow/recent-items.ts';
import { effectiveNode, isComplete } from '../workflow/transition.ts';
import { updateStateText } from '../workflow/update-state.ts';
import type { WorkflowState } from '../workflow/workflow-state.ts';
import { prepareStateChange } from './files/write-state.ts';
import type { StateGate } from './state/state-gate.ts';
import { answer, defineTool, failure, type Tool } from './tool.ts';
import { toFileFailure } from './tool-failure.ts';
import type { PreparedAction, ToolAnswer, ToolCallContext } from './tool-source.ts';

interface Sources {
  readonly gate: StateGate;
  readonly now: () => Date;
}

const completeSchema = z.strictObject({
  nodeId: z.string().check(z.minLength(1)),
  next: z.optional(z.string()).check(z.describe('Optional with one edge.')),
  artifacts: z.optional(z.array(z.string())),
  variables: z.optional(z.record(z.string(), z.unknown())),
  decision: z.optional(z.strictObject({ label: z.string(), reason: z.optional(z.string()) })),
  carry: z
    .optional(z.string().check(z.maxLength(4_000)))
    .check(z.describe('For later nodes; the user sees it.')),
});

type CompleteArguments = z.infer<typeof completeSchema>;

export function createCompleteNode(sources: Sources): Tool {
  return defineTool({
    name: 'runtime.complete_node',
    family: 'runtime',
    description: 'Completes the current node.',
    schema: () => completeSchema,
    // Artifacts are recorded automatically.
    advertised: () => z.omit(completeSchema, { artifacts: true }),
    accept: ({ decision, ...raw }) => ({
      ...raw,
      decision: typeof decision === 'string' && !/^\s*\{/.test(decision) ? { label: decision } : decision,
    }),
    run: (args, call) =>
      changeState(sources, call, args.carry, (state) => {
        if (isRepeated(args, state, sources)) return ALREADY_COMPLETE;
        const edge = chooseEdge(args, state, sources);
        return edge && 'ok' in edge ? edge : toUpdate(args, edge, sources.now().toISOString());
      }),
  });
}

const updateSchema = z.strictObject({ patch: stateUpdateSchema });

export function createUpdateState(sources: Sources): Tool {
  return defineTool({
    name: 'runtime.update_state',
    family: 'runtime',
    description: 'Changes variables and lists of the run without leaving the node, or moves along an edge.',
    schema: () => updateSchema,
    run: ({ patch }, call) => changeState(sources, call, undefined, () => patch),
  });
}

async function changeState(
  sources: Sources,
  { name, decidedAt, signal }: ToolCallContext,
  note: string | undefined,
  updateFor: (state: WorkflowState) => StateUpdate | ToolResult,
): Promise<ToolAnswer> {
  const { gate } = sources;
  try {
    const base = await gate.read();
    const nodeError = gate.checkDecidedAt(base, decidedAt);
    if (nodeError) return answer({ ok: false, error: nodeError });
    const update = updateFor(base.state);
    if ('ok' in update) return answer(update);
    const edited = await updateStateText(base.text, update);
    if (!edited.ok) return answer(edited);
    const validated = await gate.validate(base, edited.text, { signal });
    if (!validated.ok) return answer({ ok: false, error: validated.error });
    const change = { ...validated.change, carry: note?.trim() || undefined };
    const describe = (): Record<string, unknown> => {
      const { currentNodeId, stepsCompleted, variables, artifacts } = change.state;
      const file = gate.graph.nodes.find(({ id }) => id === change.to)?.file;
      return {
        newState: {
          currentNodeId,
          ...toRecent('stepsCompleted', stepsCompleted),
          variables,
          ...toRecent('artifacts', artifacts),
        },
        stepFile: file && `@pkg/${file.replace(/^\.\//, '')}`,
      };
    };
    return { kind: 'action', prepared: await prepareStateChange(change, gate, { tool: name, describe }) };
  } catch (error) {
    return answer(toFileFailure(error, STATE_DOCUMENT));
  }
}

/** A list of the state with its last items, and how many come before them. */
function toRecent(name: string, list: readonly string[]): Record<string, unknown> {
  const { items, omitted } = recentItems(list);
  return { [name]: items, ...(omitted > 0 ? { [`${name}Omitted`]: omitted } : {}) };
}

/** The last node is completed once more, without anything new. */
function isRepeated(
  { nodeId, next, variables, artifacts }: CompleteArguments,
  state: WorkflowState,
  { gate: { graph } }: Sources,
): boolean {
  const hasNews = Object.keys(variables ?? {}).length > 0 || (artifacts ?? []).length > 0;
  return isComplete(state, graph) && nodeId === effectiveNode(state, graph) && next === undefined && !hasNews;
}

const ALREADY_COMPLETE: ToolResult = {
  ok: true,
  hint: 'The workflow is complete already; nothing is left to do. Tell the user what was made.',
};

/** The edge selected by `next` and the decision's label; undefined to stay at a node without outgoing edges. */
function chooseEdge(
  { nodeId, next: target, decision }: CompleteArguments,
  state: WorkflowState,
  { gate: { graph } }: Sources,
): GraphEdge | ToolFailure | undefined {
  const current = effectiveNode(state, graph);
  if (nodeId !== current) {
    return failure(
      'E_INVALID_TRANSITION',
      `The run is at "${current}", not at "${nodeId}". Do its step, then call runtime_complete_node with nodeId "${current}".`,
    );
  }
  const label = decision?.label || undefined;
  const outgoing = graph.edges.filter((edge) => edge.from === current);
  const next = target === undefined ? undefined : toNodeId(target, outgoing);
  // An end node is left only with an explicit target.
  const isEnd = graph.nodes.some(({ id, type }) => id === current && type === 'end');
  if (isEnd && next === undefined && label === undefined) return undefined;
  const toNext = outgoing.filter((edge) => next === undefined || edge.to === next);
  // A label in the model's own words is none of the graph's: then `next` decides alone.
  const isLabel = outgoing.some((edge) => edge.label === label);
  const matching =
    isLabel || (next === undefined && label !== undefined)
      ? toNext.filter((edge) => edge.label === label)
      : toNext;
  const [first] = matching;
  if (first && matching.length === 1) return first;
  if (outgoing.length === 0 && (next === undefined || next === current)) return undefined;
  const choices = outgoing.map(({ to, label }) => `"${to}" (${label})`).join(' or ');
  return failure(
    'E_INVALID_TRANSITION',
    matching.length === 0
      ? `No edge matches; from "${current}" the run can go to ${choices || 'no other node'}.`
      : `Several edges match; select one of ${choices} with next and decision.label.`,
    { allowedNext: outgoing.map(({ to, label }) => ({ to, label })) },
  );
}

/** The node that `next` names by its id or by the label of exactly one edge; undefined if it is empty. */
function toNodeId(next: string, outgoing: readonly GraphEdge[]): string | undefined {
  const wanted = next.trim();
  if (wanted === '' || outgoing.some(({ to }) => to === wanted)) return wanted || undefined;
  const [edge, ...others] = outgoing.filter(({ label }) => label.toLowerCase() === wanted.toLowerCase());
  return edge && others.length === 0 ? edge.to : wanted;
}

function toUpdate(args: CompleteArguments, edge: GraphEdge | undefined, now: string): StateUpdate {
  const { nodeId, artifacts, variables, decision } = args;
  const { from = '', to = '', label = '' } = edge ?? {};
  const reason = decision?.reason === undefined ? {} : { reason: decision.reason };
  return {
    stepsCompleted: { append: [nodeId] },
    artifacts: artifacts?.length ? { append: artifacts } : undefined,
    variables: variables && { set: variables },
    currentNodeId: edge && { set: edge.to },
    decisionLog: edge && decision && { append: [{ from, to, label, ...reason, decidedAt: now }] },
  };
}

const goBackSchema = z.strictObject({
  to: z.string().check(z.minLength(1), z.describe('An earlier node.')),
  reason: z.string().check(z.minLength(1), z.maxLength(1_000)),
});

type GoBackArguments = z.infer<typeof goBackSchema>;

export interface GoBackSources {
  readonly gate: StateGate;
  /** Ids of the nodes that the run has visited, the current one included. */
  visited(): Iterable<string>;
  /** Of a node; empty if it has none. */
  titleOf(nodeId: string): string;
}

/** Takes the run back to a node that it has visited, as a person does with a rewind. A person is asked every time. */
export function createGoBack(sources: GoBackSources): Tool {
  const tool = defineTool({
    name: 'runtime.go_back',
    family: 'runtime',
    description: 'Returns the run to an earlier node if the user wants that; the user is asked. Files stay.',
    schema: () => goBackSchema,
    run: (args, call) => goBack(args, call, sources),
  });
  // With one node there is nothing to go back to.
  return { ...tool, isOffered: () => [...new Set(sources.visited())].length > 1 };
}

async function goBack(
  args: GoBackArguments,
  call: ToolCallContext,
  sources: GoBackSources,
): Promise<ToolAnswer> {
  const { gate, titleOf } = sources;
  try {
    const base = await gate.read();
    const moved = gate.checkDecidedAt(base, call.decidedAt);
    if (moved) return answer({ ok: false, error: moved });
    const current = effectiveNode(base.state, gate.graph);
    const earlier = [...new Set(sources.visited())].filter((id) => id !== current);
    const to = findNode(args.to, earlier, titleOf);
    if (to === undefined) return answer(notVisited(args.to, earlier, titleOf));
    if (call.isAttended === false) return answer(NOBODY);
    return { kind: 'action', prepared: prepareRewind({ ...args, to }, titleOf(to), gate) };
  } catch (error) {
    return answer(toFileFailure(error, STATE_DOCUMENT));
  }
}

/** By its id, or by a title that only one of them has. */
function findNode(
  wanted: string,
  earlier: readonly string[],
  titleOf: GoBackSources['titleOf'],
): string | undefined {
  if (earlier.includes(wanted)) return wanted;
  const [only, ...others] = earlier.filter((id) => titleOf(id).toLowerCase() === wanted.trim().toLowerCase());
  return others.length === 0 ? only : undefined;
}

function notVisited(
  wanted: string,
  earlier: readonly string[],
  titleOf: GoBackSources['titleOf'],
): ToolFailure {
  const names = earlier.map((id) => `"${id}"${titleOf(id) ? ` (${titleOf(id)})` : ''}`);
  const choices = names.length === 0 ? 'there is no earlier node' : `it can go back to ${names.join(', ')}`;
  return failure(
    'E_INVALID_TRANSITION',
    `The run has not visited "${wanted.slice(0, 120)}" before this node; ${choices}.`,
  );
}

const NOBODY = failure(
  'TOOL_REFUSED',
  'Going back needs the consent of the user, and nobody is here to approve it. Continue with this node.',
);

function prepareRewind({ to, reason }: GoBackArguments, title: string, gate: StateGate): PreparedAction {
  const files = 'They stay as they are; undo them separately.';
  return {
    action: {
      title: `Go back to ${title ? `"${title}"` : 'an earlier step'}`,
      target: to,
      effect: 'state',
      preview: { kind: 'json', text: JSON.stringify({ to, title: title || undefined, reason, files }) },
      isOnceOnly: true,
    },
    files: [],
    effect: {},
    isNoop: false,
    async commit() {
      try {
        await gate.rewind(to, reason);
        return { ok: true, currentNodeId: to };
      } catch (error) {
        return toFileFailure(error, STATE_DOCUMENT);
      }
    },
  };
}
