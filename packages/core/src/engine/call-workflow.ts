/**
 * Calls of sub-workflows. The root's call stack says which calls are under way; an entry stands there from the moment a run
 * comes to the node until it leaves it. Every step can be repeated, so that a run that was killed between any two of them
 * comes to the same end.
 */

import { MAX_CALL_DEPTH } from '@crewagent/protocol/call-depth';
import type { CallStackEntry, GraphEdge } from '@crewagent/protocol/workflow';
import { CrewError } from '../base/crew-error.ts';
import { fillVariables } from '../mounts/path-template.ts';
import type { Intent } from '../prompt/prompt-blocks.ts';
import { findMissingOutputs } from '../tools/node-outputs.ts';
import type { Amendment } from '../tools/state-gate.ts';
import { isSameValue } from '../workflow/same-value.ts';
import type { WorkflowState } from '../workflow/workflow-state.ts';
import type { CallContext, CalledRun, CallLink, Spending } from './called-run.ts';
import type { PlannedNode } from './engine-sources.ts';
import type { LiveRun, RunPosition } from './live-run.ts';
import type { StopPoint } from './stop-point.ts';

export interface OpenCall {
  readonly node: PlannedNode & { readonly subworkflow: string };
  readonly state: WorkflowState;
  /** Undefined for a call that has not begun. */
  readonly entry: CallStackEntry | undefined;
}

/** The call that the run has to make or finish now. Entries of calls that are over are taken off the stack. */
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

/** The run of the call that is under way, if it exists already. */
export async function reopenCall(run: LiveRun): Promise<void> {
  const call = await findCall(run, await run.position());
  const childId = call?.entry?.childId;
  if (call && childId !== undefined && (await run.sources.calls?.has(childId))) await openCall(run, call);
}

export interface CallTurn {
  readonly intent: Intent | undefined;
  /** What a person said to the called run, which is under way already. */
  readonly given: Promise<StopPoint> | undefined;
  readonly signal: AbortSignal;
}

/** Undefined when the called workflow has returned; else where it came to rest, and this run with it. */
export async function runCall(
  run: LiveRun,
  call: OpenCall,
  { intent, given, signal }: CallTurn,
): Promise<StopPoint | undefined> {
  const child = await openCall(run, call);
  const { engine } = child;
  const stopChild = (): void => void engine.stop();
  signal.addEventListener('abort', stopChild);
  try {
    let stop = await (given ?? (signal.aborted ? engine.stop() : begin(child, intent)));
    // Words that came as it was about to stop.
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
  // A run that rests says why, unless it never began.
  if (phase === 'WaitingUser' && !reason) return engine.start();
  return intent === 'resume' ? engine.resume() : engine.continueRun();
}

async function openCall(run: LiveRun, { node, state, entry }: OpenCall): Promise<CalledRun> {
  const { calls, sources, memory } = run;
  if (!calls || !sources.calls) throw new Error('a run without calls has nothing to open');
  if (run.child && run.child.childId === entry?.childId) return run.child;
  await run.closeChild();
  const link = toLink(run, node);
  requireAllowed(node.subworkflow, link);
  const childId = entry?.childId ?? sources.calls.newId();
  // Before the run exists: a run that nothing points to would never be found again.
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

function toLink(run: LiveRun, node: PlannedNode): CallLink {
  const { calls, sources } = run;
  if (!calls) throw new Error('a run without calls has nothing to open');
  return {
    rootId: calls.rootId,
    depth: calls.depth + 1,
    path: [...(sources.calls?.caller?.path ?? []), sources.plan?.ref ?? ''],
    nodes: [...(sources.calls?.caller?.nodes ?? []), node.id],
    stack: calls.stack,
    spent: () => spentSoFar(run),
  };
}

/** By this run and those above it. */
export function spentSoFar(run: LiveRun): Spending {
  const { usage, usageBefore, turnsHere } = run.memory;
  const above = run.sources.calls?.caller?.spent();
  return {
    tokens:
      usage.promptTokens +
      usage.completionTokens -
      usageBefore.promptTokens -
      usageBefore.completionTokens +
      (above?.tokens ?? 0),
    costUsd: (usage.costUsd ?? 0) - (usageBefore.costUsd ?? 0) + (above?.costUsd ?? 0),
    turns: turnsHere + (above?.turns ?? 0),
    elapsedMs: above?.elapsedMs ?? run.elapsedMs(),
  };
}

/** Validation refuses such packages; a package that was changed in the store must not run for ever all the same. */
function requireAllowed(workflow: string, { path, depth, nodes }: CallLink): void {
  if (path.includes(workflow))
    throw new CrewError(
      'E_CALL_CYCLE',
      `"${nodes.at(-1)}" calls the workflow "${workflow}", which is under way already; correct the package, or skip this step.`,
    );
  if (depth > MAX_CALL_DEPTH)
    throw new CrewError(
      'E_CALL_DEPTH',
      `"${nodes.at(-1)}" calls a workflow ${depth} levels deep, and ${MAX_CALL_DEPTH} are allowed; correct the package, or skip this step.`,
    );
}

/** All that the calling run has, or what the inputs of the node name: variables by name, else files. */
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

function toProjectPath(path: string): string {
  return path.startsWith('@') ? path : `@project/${path.replace(/^(?:\.\/+)+/, '')}`;
}

/** Writes the log first, then the document; each once, however often the process dies in between. */
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
  const { usage, usageBefore } = engine.memory;
  const title = workflow.title || workflow.ref;
  return {
    type: 'call.ended',
    nodeId,
    childId,
    outcome,
    title,
    artifacts: [...artifacts],
    returned: { ...returned },
    usage,
    usageBefore,
  };
}

/** The node is done, and the run moves on where only one edge leads on; where several do, its model decides. */
async function endCall(
  run: LiveRun,
  node: PlannedNode,
  { artifacts, returned }: CallResult,
  to?: GraphEdge,
): Promise<void> {
  const { gate, calls, sources } = run;
  if (!gate || !calls) return;
  const onward = gate.graph.edges.filter((edge) => edge.from === node.id && edge.to !== node.id);
  const isLoop = gate.graph.edges.some((edge) => edge.from === node.id && edge.to === node.id);
  await gate.amend(async (state) => {
    const missing = to ? [] : await findMissingOutputs(node.outputs, state.variables, sources.files);
    const edge = to ?? (onward.length === 1 && !isLoop && missing.length === 0 ? onward[0] : undefined);
    const isOpen = missing.length > 0 || (onward.length > 0 && !edge);
    const isOwnReturn = Object.keys(returned).length > 0 && !isSameValue(state.variables[node.id], returned);
    const amendment: Amendment = {
      update: {
        artifacts: { append: artifacts.filter((path) => !state.artifacts.includes(path)) },
        ...(isOwnReturn ? { variables: { set: { [node.id]: { ...returned } } } } : {}),
        ...(missing.length > 0 || state.stepsCompleted.includes(node.id)
          ? {}
          : { stepsCompleted: { append: [node.id] } }),
        ...(edge ? { currentNodeId: { set: edge.to } } : {}),
      },
      // The stack is in this very document: one write ends the call.
      ...(calls.depth === 0 && !isOpen ? { callStack: [] } : {}),
      label: edge?.label,
    };
    return amendment;
  });
}

/** The run has left the node of this call. */
async function leaveCall(run: LiveRun): Promise<void> {
  await abandonCall(run);
  await forgetCalls(run);
}

/** A person takes the run back: whatever it called is over. To be followed by `forgetCalls` when the run is elsewhere. */
export async function abandonCall(run: LiveRun): Promise<void> {
  const { child, memory } = run;
  if (child && memory.call?.phase === 'open' && memory.call.childId === child.childId)
    run.emit(toCallEnded(memory.call.nodeId, child, { outcome: 'abandoned', artifacts: [], returned: {} }));
  await run.closeChild();
}

/** Takes the calls of this run off the stack. */
export async function forgetCalls({ calls }: LiveRun): Promise<void> {
  const stack = (await calls?.stack.read()) ?? [];
  if (calls && stack.length > calls.depth) await calls.stack.write(stack.slice(0, calls.depth));
}

/** A person lets the run go on without the workflow that it called. */
export async function leaveNode(run: LiveRun, to: string | undefined): Promise<void> {
  const call = await findCall(run, await run.position());
  const { gate, memory } = run;
  if (!call || !gate) throw new CrewError('RUN_NOT_READY', 'The run is not at a step that calls a workflow.');
  const { node } = call;
  const onward = gate.graph.edges.filter((edge) => edge.from === node.id && edge.to !== node.id);
  const fitting = onward.filter((edge) => to === undefined || edge.to === to);
  const [edge, ...others] = fitting;
  if (!edge || (others.length > 0 && to === undefined)) {
    const ways = onward.map((one) => `"${one.to}" (${one.label})`).join(' or ') || 'nothing';
    throw new CrewError(
      'USAGE',
      `Name the step that the run continues with after "${node.id}": ${ways} follows it.`,
    );
  }
  if (run.child && memory.call?.phase === 'open')
    run.emit(toCallEnded(node.id, run.child, { outcome: 'skipped', artifacts: [], returned: {} }));
  await run.closeChild();
  await endCall(run, node, { artifacts: [], returned: {} }, edge);
  await findCall(run, await run.position());
}

/** A called run came to rest: so does the run that called it, for the same reason, with the way down to it. */
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
