/**
 * Calls of sub-workflows. The call stack of the root contains the open calls: an entry is added when a run reaches the node
 * and removed when it leaves it. Every step is idempotent, so that a run that was killed between any two of them has the
 * same result.
 */

import { MAX_CALL_DEPTH } from '@crewagent/protocol/call-depth';
import { isUnmet } from '@crewagent/protocol/proof';
import type { CallStackEntry, GraphEdge } from '@crewagent/protocol/workflow';
import { CrewError } from '../../base/crew-error.ts';
import { toProjectPath } from '../../llm/request-facts.ts';
import { fillVariables } from '../../mounts/path-template.ts';
import type { Intent } from '../../prompt/prompt-blocks.ts';
import { findResultIssues } from '../../tools/state/node-outputs.ts';
import type { Amendment } from '../../tools/state/state-gate.ts';
import { isSameValue } from '../../workflow/same-value.ts';
import { pathValuesOf, type WorkflowState } from '../../workflow/workflow-state.ts';
import type { PlannedNode } from '../engine-sources.ts';
import type { LiveRun, RunCalls } from '../live-run.ts';
import type { RunPosition } from '../run-position.ts';
import type { LoopStart, StopPoint } from '../stop-point.ts';
import type { CallContext, CalledRun, CallLink, Spending } from './called-run.ts';

export interface OpenCall {
  readonly node: PlannedNode & { readonly subworkflow: string };
  readonly state: WorkflowState;
  /** Undefined for a call that has not started. */
  readonly entry: CallStackEntry | undefined;
}

/** The call that the run has to make or complete now. Removes entries of finished calls from the stack. */
export async function findCall(run: LiveRun, position: RunPosition): Promise<OpenCall | undefined> {
  const { calls, memory } = run;
  if (!calls || !position.at) return undefined;
  const stack = await calls.stack.read();
  const found = stack[calls.depth];
  const isOver = found !== undefined && (position.isComplete || found.nodeId !== position.nodeId);
  if (isOver) await leaveCall(run);
  const entry = isOver ? undefined : found;
  const { node, state } = position.at;
  if (position.isComplete || !isCall(node)) return undefined;
  const isReturned = memory.call?.phase === 'returned' && memory.call.childId === entry?.childId;
  return isReturned ? undefined : { node, state, entry };
}

function isCall(node: PlannedNode): node is OpenCall['node'] {
  return node.subworkflow !== undefined;
}

/** Opens the run of the current call, if it exists already. */
export async function reopenCall(run: LiveRun): Promise<void> {
  const call = await findCall(run, await run.position());
  const childId = call?.entry?.childId;
  if (call && childId !== undefined && (await run.sources.calls?.has(childId))) await openCall(run, call);
}

/** Returns undefined when the called workflow has returned, else the stop of this run while the called one is idle. */
export async function runCall(
  run: LiveRun,
  call: OpenCall,
  { intent, calledStop }: LoopStart,
  signal: AbortSignal,
): Promise<StopPoint | undefined> {
  const child = await openCall(run, call);
  const { engine } = child;
  const stopChild = (): void => void engine.stop();
  signal.addEventListener('abort', stopChild);
  try {
    let stop = await (calledStop ?? (signal.aborted ? engine.stop() : begin(child, intent)));
    // Input that arrived just before the called run stopped.
    while (stop.reason?.code === 'reply' && engine.memory.inputs.length > 0 && !signal.aborted)
      stop = await engine.continueRun();
    if (stop.phase !== 'Completed') return toCallerStop(stop, call.node);
  } finally {
    signal.removeEventListener('abort', stopChild);
  }
  await returnFrom(run, call, child);
  return undefined;
}

async function begin({ engine }: CalledRun, intent: Intent | undefined): Promise<StopPoint> {
  const { phase, reason } = engine.memory;
  if (phase === 'Completed') return { phase };
  // Only a run that was never started waits without a reason.
  if (phase === 'WaitingUser' && !reason) return engine.start();
  return intent === 'resume' ? engine.resume() : engine.continueRun();
}

async function openCall(run: LiveRun, { node, state, entry }: OpenCall): Promise<CalledRun> {
  const { calls, sources, memory } = run;
  if (!calls || !sources.calls) throw new Error('a run without calls has nothing to open');
  if (run.child && run.child.childId === entry?.childId) return run.child;
  await run.closeChild();
  const link = toLink(run, calls, node);
  requireAllowed(node.subworkflow, link);
  const childId = entry?.childId ?? sources.calls.newId();
  // Recorded before the run is created: a run that nothing refers to would never be found again.
  if (entry?.childId === undefined) {
    const above = (await calls.stack.read()).slice(0, calls.depth);
    await calls.stack.write([...above, { workflow: node.subworkflow, nodeId: node.id, childId }]);
  }
  const agentId = run.agentOf(node.id);
  const context = toContext(node, state);
  const child = await sources.calls.open(
    { childId, nodeId: node.id, workflow: node.subworkflow, agentId, context },
    link,
  );
  run.setChild(child);
  if (memory.call?.childId !== childId)
    run.emit({ type: 'call.started', nodeId: node.id, childId, workflow: { ...child.workflow } });
  for (const event of child.firstEvents) run.relay(event);
  return child;
}

function toLink(run: LiveRun, calls: RunCalls, node: PlannedNode): CallLink {
  const { sources } = run;
  return {
    rootId: calls.rootId,
    depth: calls.depth + 1,
    path: [...(sources.calls?.caller?.path ?? []), sources.plan?.ref ?? ''],
    nodes: [...(sources.calls?.caller?.nodes ?? []), node.id],
    stack: calls.stack,
    spent: () => spentSoFar(run),
  };
}

/** Of this run and its callers. */
export function spentSoFar(run: LiveRun): Spending {
  const { usage, usageBefore } = run.memory;
  const above = run.sources.calls?.caller?.spent();
  return {
    tokens:
      usage.promptTokens +
      usage.completionTokens -
      usageBefore.promptTokens -
      usageBefore.completionTokens +
      (above?.tokens ?? 0),
    costUsd: (usage.costUsd ?? 0) - (usageBefore.costUsd ?? 0) + (above?.costUsd ?? 0),
    elapsedMs: above?.elapsedMs ?? run.elapsedMs(),
    totalTokens: usage.promptTokens + usage.completionTokens + (above?.totalTokens ?? 0),
    totalCostUsd: (usage.costUsd ?? 0) + (above?.totalCostUsd ?? 0),
  };
}

/** Validation rejects such packages; this stops an endless run if a package was changed in the store. */
function requireAllowed(workflow: string, { path, depth, nodes }: CallLink): void {
  if (path.includes(workflow))
    throw new CrewError(
      'E_CALL_CYCLE',
      `"${nodes.at(-1)}" calls the workflow "${workflow}", which is already running; correct the package, or skip this step.`,
    );
  if (depth > MAX_CALL_DEPTH)
    throw new CrewError(
      'E_CALL_DEPTH',
      `"${nodes.at(-1)}" calls a workflow ${depth} levels deep, and ${MAX_CALL_DEPTH} are allowed; correct the package, or skip this step.`,
    );
}

/** Everything the calling run has, or what the inputs of the node name: variables by name, else files. */
function toContext(node: PlannedNode, { inputDocuments, artifacts, variables }: WorkflowState): CallContext {
  const { workflowStatus: _, ...shared } = variables;
  if (node.passContext) return { inputDocuments, artifacts, variables: shared };
  const named = node.inputs.filter((name) => Object.hasOwn(shared, name));
  const paths = node.inputs.filter((name) => !named.includes(name));
  return {
    inputDocuments: paths.map((path) => toProjectPath(fillVariables(path, variables))),
    artifacts: [],
    variables: Object.fromEntries(named.map((name) => [name, shared[name]])),
  };
}

/** Writes the log, then the document; each once, however often the process dies in between. */
async function returnFrom(run: LiveRun, { node }: OpenCall, child: CalledRun): Promise<void> {
  const { memory } = run;
  const { artifacts, variables } = child.engine.memory.state;
  const returned = Object.fromEntries(
    (node.returns ?? [])
      .filter((name) => Object.hasOwn(variables, name))
      .map((name) => [name, variables[name]]),
  );
  if (memory.call?.phase !== 'ended' || memory.call.childId !== child.childId)
    run.emit(toCallEnded(node.id, child, { outcome: 'completed', artifacts, returned }));
  await endCall(run, node, { artifacts, returned });
  await run.closeChild();
}

interface CallResult {
  readonly artifacts: readonly string[];
  readonly returned: Readonly<Record<string, unknown>>;
}

function toCallEnded(
  nodeId: string,
  { childId, workflow, engine }: CalledRun,
  { outcome, artifacts, returned }: CallResult & { readonly outcome: 'completed' | 'skipped' | 'abandoned' },
): Parameters<LiveRun['emit']>[0] {
  const { usage, usageBefore, visit, turn, calledTurns } = engine.memory;
  const title = workflow.title || workflow.ref;
  const written = [...visit.written].slice(0, MAX_WRITTEN);
  return {
    type: 'call.ended',
    nodeId,
    childId,
    outcome,
    title,
    artifacts: [...artifacts],
    written: written.length > 0 ? written : undefined,
    returned: { ...returned },
    usage,
    usageBefore,
    turns: turn + calledTurns,
  };
}

/** More are not listed in the log. */
const MAX_WRITTEN = 500;

/** Completes the node, and follows the edge if there is only one; otherwise the model chooses. */
async function endCall(
  run: LiveRun,
  node: PlannedNode,
  { artifacts, returned }: CallResult,
  to?: GraphEdge,
): Promise<void> {
  const { gate, calls } = run;
  if (!gate || !calls) return;
  const outgoing = gate.graph.edges.filter((edge) => edge.from === node.id && edge.to !== node.id);
  const isLoop = gate.graph.edges.some((edge) => edge.from === node.id && edge.to === node.id);
  await gate.amend(async (state) => {
    const isReady = await isResultReady(run, node, state, {
      artifacts,
      returned,
      isLeftByPerson: to !== undefined,
    });
    const edge = to ?? (outgoing.length === 1 && !isLoop && isReady ? outgoing[0] : undefined);
    const isOpen = !isReady || (outgoing.length > 0 && !edge);
    const isOwnReturn = Object.keys(returned).length > 0 && !isSameValue(state.variables[node.id], returned);
    const amendment: Amendment = {
      update: {
        artifacts: { append: artifacts.filter((path) => !state.artifacts.includes(path)) },
        ...(isOwnReturn ? { variables: { set: { [node.id]: { ...returned } } } } : {}),
        ...(!isReady || state.stepsCompleted.includes(node.id)
          ? {}
          : { stepsCompleted: { append: [node.id] } }),
        ...(edge ? { currentNodeId: { set: edge.to } } : {}),
      },
      // The stack is in the same document: one write ends the call.
      ...(calls.depth === 0 && !isOpen ? { callStack: [] } : {}),
      label: edge?.label,
    };
    return amendment;
  });
}

/** Whether the node has what it declares, so that it can be left; its checks are recorded then. */
async function isResultReady(
  { gate, sources, memory }: LiveRun,
  node: PlannedNode,
  state: WorkflowState,
  { artifacts, returned, isLeftByPerson }: CallResult & { readonly isLeftByPerson: boolean },
): Promise<boolean> {
  const variables = { ...state.variables, [node.id]: { ...returned } };
  const judgement = await gate?.judge?.(node.id, { ...state, variables });
  const unmet = judgement?.checks.filter(isUnmet) ?? [];
  const values = pathValuesOf(state);
  const outputs = isLeftByPerson ? [] : node.outputs;
  const { missing } = await findResultIssues(
    { outputs, setsVariables: [] },
    { variables: values, artifacts, wasWritten: (path) => memory.visit.written.has(path) },
    sources.files,
  );
  if (missing.length > 0 || (unmet.length > 0 && !isLeftByPerson)) return false;
  if (judgement) await gate?.recordProof?.(node.id, judgement, [...new Set(unmet.map(({ id }) => id))]);
  return true;
}

async function leaveCall(run: LiveRun): Promise<void> {
  await abandonCall(run);
  await forgetCalls(run);
}

/** Ends the open call. Call `forgetCalls` after the run has moved. */
export async function abandonCall(run: LiveRun): Promise<void> {
  const { child, memory } = run;
  if (child && memory.call?.phase === 'open' && memory.call.childId === child.childId)
    run.emit(toCallEnded(memory.call.nodeId, child, { outcome: 'abandoned', artifacts: [], returned: {} }));
  await run.closeChild();
}

/** Removes the calls of this run from the stack. */
export async function forgetCalls({ calls }: LiveRun): Promise<void> {
  const stack = (await calls?.stack.read()) ?? [];
  if (calls && stack.length > calls.depth) await calls.stack.write(stack.slice(0, calls.depth));
}

/** Continues the run without the workflow that it called. */
export async function leaveNode(run: LiveRun, to: string | undefined): Promise<void> {
  const call = await findCall(run, await run.position());
  const { gate, memory } = run;
  if (!call || !gate) throw new CrewError('RUN_NOT_READY', 'The run is not at a step that calls a workflow.');
  const { node } = call;
  const outgoing = gate.graph.edges.filter((edge) => edge.from === node.id && edge.to !== node.id);
  const candidates = outgoing.filter((edge) => to === undefined || edge.to === to);
  const [edge, ...others] = candidates;
  if (!edge || (others.length > 0 && to === undefined)) {
    const targets = outgoing.map((next) => `"${next.to}" (${next.label})`).join(' or ') || 'nothing';
    throw new CrewError(
      'USAGE',
      `Name the step that the run continues with after "${node.id}": ${targets} follows it.`,
    );
  }
  if (run.child && memory.call?.phase === 'open')
    run.emit(toCallEnded(node.id, run.child, { outcome: 'skipped', artifacts: [], returned: {} }));
  await run.closeChild();
  await endCall(run, node, { artifacts: [], returned: {} }, edge);
  await findCall(run, await run.position());
}

/** The stop of a caller while its called run is stopped: the same reason, with the path of nodes to it. */
export function toCallerStop(
  { phase, reason }: StopPoint,
  node: Pick<PlannedNode, 'id' | 'title'>,
): StopPoint {
  const { code, message, details } = reason ?? {
    code: 'interrupted' as const,
    message: 'The run was interrupted.',
  };
  const inner = Array.isArray(details?.path) ? (details.path as unknown[]) : [];
  return {
    phase: 'WaitingUser',
    reason: {
      code,
      message: `${node.title}${inner.length > 0 ? ' › ' : ': '}${message}`,
      details: {
        ...details,
        path: [{ nodeId: node.id, title: node.title }, ...inner],
        ...(phase === 'Failed' ? { isCallFailed: true } : {}),
      },
    },
  };
}
