/**
 * The state document through calls of its own: `runtime.complete_node` in every run, `runtime.update_state` in strict mode,
 * where the document changes in no other way. They go through the same gate as everything else.
 */
import { STATE_DOCUMENT } from '@crewagent/protocol/tool-effects';
import type { ToolFailure } from '@crewagent/protocol/tools';
import { type GraphEdge, type StateUpdate, stateUpdateSchema } from '@crewagent/protocol/workflow';
import * as z from '@crewagent/protocol/zod';
import { effectiveNode } from '../workflow/transition.ts';
import { updateStateText } from '../workflow/update-state.ts';
import type { WorkflowState } from '../workflow/workflow-state.ts';
import { DamagedState, type StateGate } from './state-gate.ts';
import { answer, defineTool, failure, type Tool } from './tool.ts';
import { toFileFailure } from './tool-failure.ts';
import type { ToolAnswer, ToolCallContext } from './tool-source.ts';
import { prepareStateChange } from './write-file.ts';

interface Sources {
  readonly gate: StateGate;
  readonly now: () => Date;
}

const completeSchema = z.strictObject({
  nodeId: z.string().min(1).describe('The node that is done: the current one.'),
  next: z.string().optional().describe('Where to go; may be left out when there is one way on, or none.'),
  artifacts: z.array(z.string()).optional(),
  variables: z.record(z.string(), z.unknown()).optional(),
  decision: z.strictObject({ label: z.string().min(1), reason: z.string().optional() }).optional(),
  carry: z
    .string()
    .max(4_000)
    .optional()
    .describe('A short note to yourself for later nodes; the person sees it.'),
});

type CompleteArguments = z.infer<typeof completeSchema>;

export function createCompleteNode(sources: Sources): Tool {
  return defineTool({
    name: 'runtime.complete_node',
    family: 'runtime',
    description: 'Marks the current node as done and moves on along an edge of the graph.',
    schema: completeSchema,
    // The runtime records artifacts by itself.
    advertised: completeSchema.omit({ artifacts: true }),
    run: (args, call) =>
      changeState(sources, call, args.carry, (state) => {
        const edge = chooseEdge(args, state, sources);
        return edge === undefined || 'from' in edge
          ? toUpdate(args, edge, sources.now().toISOString())
          : edge;
      }),
  });
}

const updateSchema = z.strictObject({ patch: stateUpdateSchema });

export function createUpdateState(sources: Sources): Tool {
  return defineTool({
    name: 'runtime.update_state',
    family: 'runtime',
    description: 'Changes variables and lists of the run without leaving the node, or moves along an edge.',
    schema: updateSchema,
    run: ({ patch }, call) => changeState(sources, call, undefined, () => patch),
  });
}

async function changeState(
  sources: Sources,
  { name, decidedAt }: ToolCallContext,
  note: string | undefined,
  updateFor: (state: WorkflowState) => StateUpdate | ToolFailure,
): Promise<ToolAnswer> {
  const { gate } = sources;
  try {
    const base = await gate.read();
    const moved = gate.findMove(base, decidedAt);
    if (moved) return answer({ ok: false, error: moved });
    const update = updateFor(base.state);
    if ('ok' in update) return answer(update);
    const edited = await updateStateText(base.text, update);
    if (!edited.ok) return answer(edited);
    const judged = await gate.judge(base, edited.text);
    if (!judged.ok) return answer({ ok: false, error: judged.error });
    const carry = note?.trim() ? { carry: note.trim() } : {};
    const change = { ...judged.change, ...carry };
    const describe = (): Record<string, unknown> => {
      const { currentNodeId, stepsCompleted, variables, artifacts } = change.state;
      const file = gate.graph.nodes.find(({ id }) => id === change.to)?.file;
      return {
        newState: { currentNodeId, stepsCompleted, variables, artifacts },
        ...(file === undefined ? {} : { stepFile: `@pkg/${file.replace(/^\.\//, '')}` }),
      };
    };
    return { kind: 'action', prepared: await prepareStateChange(change, gate, { tool: name, describe }) };
  } catch (error) {
    return answer(
      error instanceof DamagedState
        ? { ok: false, error: error.error }
        : toFileFailure(error, STATE_DOCUMENT),
    );
  }
}

/** The edge meant by `next` and the decision's label; undefined to stay, because nothing leads on. */
function chooseEdge(
  { nodeId, next, decision }: CompleteArguments,
  state: WorkflowState,
  { gate: { graph } }: Sources,
): GraphEdge | ToolFailure | undefined {
  const current = effectiveNode(state, graph);
  if (nodeId !== current) {
    return failure(
      'E_INVALID_TRANSITION',
      `The run is at "${current}", not at "${nodeId}"; complete "${current}" first.`,
    );
  }
  // An end is left only by who says where to.
  const isEnd = graph.nodes.some(({ id, type }) => id === current && type === 'end');
  if (isEnd && next === undefined && decision === undefined) return undefined;
  const ways = graph.edges.filter((edge) => edge.from === current);
  const meant = ways.filter(
    (edge) =>
      (next === undefined || edge.to === next) && (decision === undefined || edge.label === decision.label),
  );
  const [first] = meant;
  if (first && meant.length === 1) return first;
  if (ways.length === 0 && (next === undefined || next === current)) return undefined;
  const choices = ways.map(({ to, label }) => `"${to}" (${label})`).join(' or ');
  return failure(
    'E_INVALID_TRANSITION',
    meant.length === 0
      ? `No edge fits; from "${current}" the run may go to ${choices || 'nowhere'}.`
      : `Several edges fit; say with next and decision.label which of ${choices} is meant.`,
    { allowedNext: ways.map(({ to, label }) => ({ to, label })) },
  );
}

function toUpdate(args: CompleteArguments, edge: GraphEdge | undefined, now: string): StateUpdate {
  const { nodeId, artifacts, variables, decision } = args;
  return {
    stepsCompleted: { append: [nodeId] },
    ...(artifacts?.length ? { artifacts: { append: artifacts } } : {}),
    ...(variables ? { variables: { set: variables } } : {}),
    ...(edge ? { currentNodeId: { set: edge.to } } : {}),
    ...(edge && decision
      ? {
          decisionLog: {
            append: [
              {
                from: edge.from,
                to: edge.to,
                label: edge.label,
                ...(decision.reason === undefined ? {} : { reason: decision.reason }),
                decidedAt: now,
              },
            ],
          },
        }
      : {}),
  };
}
