/**
 * A run or a talk that is open in this process: what it remembers, where it is, how facts become events. The only way to
 * say something about it is `emit`: stored first, remembered, then told.
 */

import { isDelta, isInput } from '@crewagent/protocol/event-kinds';
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import type { MessageRules } from '@crewagent/protocol/model';
import type { RunState } from '@crewagent/protocol/run-state';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf } from '../base/errno.ts';
import { createKeyGuard, type KeyGuard } from '../llm/key-guard.ts';
import { plainRules } from '../llm/provider-messages.ts';
import { type HistoryOptions, visitedNodes } from '../prompt/history.ts';
import { DamagedState, type StateDocument, type StateGate } from '../tools/state-gate.ts';
import { isSameValue } from '../workflow/same-value.ts';
import { effectiveNode, isComplete } from '../workflow/transition.ts';
import type { WorkflowState } from '../workflow/workflow-state.ts';
import { type AgentToolkit, type AgentToolkits, createAgentToolkits } from './agent-toolkit.ts';
import type { CalledRun, CallStack } from './called-run.ts';
import type { EngineSources, EventLog, PlannedNode } from './engine-sources.ts';
import { createLoopDetector, type LoopDetector } from './loop-detector.ts';
import { createMemory, type RunMemory, remember } from './run-memory.ts';

export interface LiveRun {
  readonly sources: EngineSources;
  readonly memory: RunMemory;
  readonly detector: LoopDetector;
  readonly gate: AgentToolkits['gate'];
  readonly log: EventLog;
  /** Hides the key of the model; nothing is emitted with it. */
  readonly keys: KeyGuard;
  /** Undefined where no workflow can be called. */
  readonly calls: RunCalls | undefined;
  /** The run of the sub-workflow that is called, while it is open here. */
  readonly child: CalledRun | undefined;
  setChild(child: CalledRun): void;
  closeChild(): Promise<void>;
  /** Passes on what a called run says. */
  relay(event: RunEvent): void;
  /** Since the turn began that is under way. */
  elapsedMs(): number;
  emit(fact: RunFact): RunEvent;
  /** Forgets what may have changed while the run rested. */
  resetForRun(): void;
  /** What a person said, answered or decided so far survives a power loss when this resolves. */
  saveInput(): Promise<void>;
  /** Throws when the log could not be written: nothing more may be done then. */
  checkLog(): void;
  /** Where the run is, by its state document. */
  position(): Promise<RunPosition>;
  deskOf(agentId: string): AgentToolkit;
  /** The agent in charge of a node. */
  agentOf(nodeId: string | undefined): string;
  subscribe(listener: (event: RunEvent) => void): () => void;
}

/** Where a run is among the calls that are under way. */
export interface RunCalls {
  readonly rootId: string;
  readonly depth: number;
  readonly stack: CallStack;
}

export interface RunPosition {
  /** Where a workflow is; a talk is nowhere. */
  readonly at: { readonly state: WorkflowState; readonly node: PlannedNode } | undefined;
  readonly nodeId: string | undefined;
  readonly isComplete: boolean;
}

const IN_A_THREAD: RunPosition = { at: undefined, nodeId: undefined, isComplete: false };

/** `memory`: for whoever wants to look at it while the log is told. */
export async function openLiveRun(
  sources: EngineSources,
  memory: RunMemory = createMemory(),
): Promise<LiveRun> {
  const { plan, record, adapter } = sources;
  const keys = adapter.keysOf?.(record.runId) ?? createKeyGuard(undefined, record.runId);
  const detector = createLoopDetector();
  const listeners = new Set<(event: RunEvent) => void>(sources.onEvent ? [sources.onEvent] : []);
  let known: RunPosition | undefined;
  let refusal: CrewError | undefined;
  let lastSeq = 0;
  let inputSeq = 0;
  let savedSeq = 0;

  const emit = (given: RunFact): RunEvent => {
    const fact = keys.hide(given);
    // Before it is said: should the disk refuse the line, what was remembered of the place is wrong all the same.
    if (fact.type === 'state.changed' || fact.type === 'artifact.written') known = undefined;
    const event = isDelta(fact) ? log.stamp(fact) : store(fact);
    relay(event);
    return event;
  };
  const relay = (event: RunEvent): void => {
    for (const listener of listeners) tell(listener, event);
  };
  const store = (fact: RunFact): RunEvent => {
    try {
      const event = log.append(fact);
      lastSeq = event.seq;
      if (isInput(fact)) inputSeq = lastSeq;
      remember(memory, event, historyOptions);
      return event;
    } catch (error) {
      if (error instanceof CrewError) refusal = error;
      throw error;
    }
  };
  /** Whoever watches must not be able to stop the run. */
  const tell = (listener: (event: RunEvent) => void, event: RunEvent): void => {
    try {
      listener(event);
    } catch (error) {
      sources.onBug('listener', error);
    }
  };

  const toolkits = createAgentToolkits(sources, {
    emit,
    hasConsent: () => memory.consent !== 'none',
    wasMissingReported: (from, to) =>
      memory.heldMove !== undefined && memory.heldMove.from === from && memory.heldMove.to === to,
    nodeId: () => memory.history.nodeId,
    scriptPath: () => memory.scriptPath,
    visited: () => visitedNodes(memory.history),
  });
  const agentOf = (nodeId: string | undefined): string =>
    (nodeId === undefined ? undefined : plan?.nodes.get(nodeId)?.agentId) ?? record.activeAgentId;
  const historyOptions: HistoryOptions = {
    scope: plan ? record.context.scope : 'run',
    toWireName: (name) => toWireName(name, toolkits.of(agentOf(memory.history.nodeId))),
  };
  let damaged = 0;
  const log = await sources.openLog((event) => {
    try {
      remember(memory, event, historyOptions);
    } catch (error) {
      // A line that somebody changed; the state document still knows where the run is.
      if (!(error instanceof TypeError)) throw error;
      damaged++;
    }
  });
  if (damaged > 0) emit({ type: 'warning', code: 'LOG_DAMAGED', message: LOG_DAMAGED });

  const readPlace = async (): Promise<RunPosition> => {
    if (!plan || !toolkits.gate) return IN_A_THREAD;
    const { state } = await readState(toolkits.gate);
    const nodeId = effectiveNode(state, plan.graph);
    const node = plan.nodes.get(nodeId);
    if (!node)
      throw new CrewError(
        'STATE_DAMAGED',
        `The state document names the node "${nodeId}", which the workflow does not have.`,
      );
    return { at: { state, node }, nodeId, isComplete: isComplete(state, plan.graph) };
  };

  let child: CalledRun | undefined;
  let unfollow = (): void => undefined;
  let startedMs = sources.clock.monotonicMs();
  return {
    sources,
    calls: toRunCalls(sources, toolkits.gate, () => {
      known = undefined;
    }),
    get child() {
      return child;
    },
    setChild(next) {
      child = next;
      const stop = next.engine.subscribe(relay);
      unfollow = () => void stop();
    },
    async closeChild() {
      const open = child;
      child = undefined;
      unfollow();
      await open?.close();
    },
    relay,
    elapsedMs: () => sources.clock.monotonicMs() - startedMs,
    memory,
    detector,
    gate: toolkits.gate,
    log,
    keys,
    emit,
    resetForRun() {
      known = undefined;
      refusal = undefined;
      startedMs = sources.clock.monotonicMs();
      detector.reset();
    },
    async saveInput() {
      while (savedSeq < inputSeq) {
        const written = lastSeq;
        await log.sync();
        savedSeq = Math.max(savedSeq, written);
      }
    },
    checkLog() {
      if (refusal) throw refusal;
    },
    deskOf: (agentId) => toolkits.of(agentId),
    agentOf,
    async position() {
      known ??= await readPlace();
      return known;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** How the model that is asked wants its messages. */
export function rulesOf({ sources: { adapter } }: Pick<LiveRun, 'sources'>): MessageRules {
  return adapter.traits.rules ?? plainRules(adapter.traits.wantsReasoningBack);
}

/** The stack is in the document of the root, whichever run is asked. */
function toRunCalls(
  { calls, record }: EngineSources,
  gate: StateGate | undefined,
  forgetPosition: () => void,
): RunCalls | undefined {
  if (!calls || !gate) return undefined;
  if (calls.caller) return calls.caller;
  const stack: CallStack = {
    read: async () => (await readState(gate)).state.callStack,
    async write(callStack) {
      forgetPosition();
      await gate.amend(async () => ({ callStack }));
    },
  };
  return { rootId: record.runId, depth: 0, stack };
}

const LOG_DAMAGED =
  'Part of the log of this run is damaged and was passed over; its state document is what counts.';

/** The state document may have moved on without a word: the process died in between, or a person edited it. */
export async function noteOutsideChanges(run: LiveRun): Promise<void> {
  const { at } = await run.position();
  if (!at || !run.gate) return;
  const { stepsCompleted, variables, decisionLog, artifacts } = at.state;
  const nodeId = at.node.id;
  const now: RunState = { currentNodeId: nodeId, stepsCompleted, variables, decisionLog, artifacts };
  // What is remembered was emitted, and has no key in it.
  if (isSameValue(run.memory.state, run.keys.hide(now))) return;
  const { sha256, diff } = await run.gate.outsideChange();
  run.emit({
    type: 'state.changed',
    from: run.memory.state.currentNodeId,
    to: nodeId,
    variables: { ...variables },
    stepsAdded: [...stepsCompleted],
    decisionsAdded: [...decisionLog],
    artifactsAdded: [...artifacts],
    isWhole: true,
    notes: [],
    sha256,
    ...(diff === undefined ? {} : { diff }),
  });
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
  'The state document of this run, workflow.md, is no longer there. Put it back and resume, or start a new run.';

/** Names nobody offered come back from the model, too; the wire allows only plain ones. */
function toWireName(name: string, toolkit: AgentToolkit): string {
  const offered = toolkit.host.offered().find((tool) => tool.name === name);
  return offered?.wireName ?? (name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unnamed');
}
