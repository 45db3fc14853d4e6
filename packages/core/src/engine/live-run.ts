/**
 * A run or a thread that is open in this process: its memory, its position, its events. Every fact goes through `emit`, which
 * stores it, adds it to the memory, and notifies the listeners.
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
  /** Hides the model's API key in everything that is emitted. */
  readonly keys: KeyGuard;
  /** Undefined if no workflow can be called. */
  readonly calls: RunCalls | undefined;
  /** The run of the called sub-workflow, while it is open. */
  readonly child: CalledRun | undefined;
  setChild(child: CalledRun): void;
  closeChild(): Promise<void>;
  /** Forwards an event of a called run. */
  relay(event: RunEvent): void;
  /** Since the current pass started. */
  elapsedMs(): number;
  emit(fact: RunFact): RunEvent;
  /** Discards cached state that may have changed while the run was idle. */
  resetForRun(): void;
  /** When this resolves, messages, answers and decisions of the person survive a power loss. */
  saveInput(): Promise<void>;
  /** Throws if the log could not be written: the run must not continue then. */
  checkLog(): void;
  /** Reads the position from the state document. */
  position(): Promise<RunPosition>;
  toolkitOf(agentId: string): AgentToolkit;
  /** The agent in charge of a node. */
  agentOf(nodeId: string | undefined): string;
  subscribe(listener: (event: RunEvent) => void): () => void;
}

/** The position of a run in the call stack. */
export interface RunCalls {
  readonly rootId: string;
  readonly depth: number;
  readonly stack: CallStack;
}

export interface RunPosition {
  /** Undefined in a thread. */
  readonly at: { readonly state: WorkflowState; readonly node: PlannedNode } | undefined;
  readonly nodeId: string | undefined;
  readonly isComplete: boolean;
}

const NO_POSITION: RunPosition = { at: undefined, nodeId: undefined, isComplete: false };

/** `memory`: passed by callers that observe it while the log is read. */
export async function openLiveRun(
  sources: EngineSources,
  memory: RunMemory = createMemory(),
): Promise<LiveRun> {
  const { plan, record, adapter } = sources;
  const keys = adapter.keysOf?.(record.runId) ?? createKeyGuard([], record.runId);
  const detector = createLoopDetector();
  const listeners = new Set<(event: RunEvent) => void>(sources.onEvent ? [sources.onEvent] : []);
  let cachedPosition: RunPosition | undefined;
  let logError: CrewError | undefined;
  let lastSeq = 0;
  let inputSeq = 0;
  let savedSeq = 0;

  const emit = (given: RunFact): RunEvent => {
    const fact = keys.hide(given);
    // Before the append: if that fails, the cached position is outdated anyway.
    if (fact.type === 'state.changed' || fact.type === 'artifact.written') cachedPosition = undefined;
    const event = isDelta(fact) ? log.stamp(fact) : store(fact);
    relay(event);
    return event;
  };
  const relay = (event: RunEvent): void => {
    for (const listener of listeners) notify(listener, event);
  };
  const store = (fact: RunFact): RunEvent => {
    try {
      const event = log.append(fact);
      lastSeq = event.seq;
      if (isInput(fact)) inputSeq = lastSeq;
      remember(memory, event, historyOptions);
      return event;
    } catch (error) {
      if (error instanceof CrewError) logError = error;
      throw error;
    }
  };
  /** An error in a listener must not stop the run. */
  const notify = (listener: (event: RunEvent) => void, event: RunEvent): void => {
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
      memory.refusedTransition !== undefined &&
      memory.refusedTransition.from === from &&
      memory.refusedTransition.to === to,
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
      // A line was tampered with; the position is read from the state document.
      if (!(error instanceof TypeError)) throw error;
      damaged++;
    }
  });
  if (damaged > 0) emit({ type: 'warning', code: 'LOG_DAMAGED', message: LOG_DAMAGED });

  const readPosition = async (): Promise<RunPosition> => {
    if (!plan || !toolkits.gate) return NO_POSITION;
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
  let unsubscribeChild = (): void => undefined;
  let startedMs = sources.clock.monotonicMs();
  return {
    sources,
    calls: toRunCalls(sources, toolkits.gate, () => {
      cachedPosition = undefined;
    }),
    get child() {
      return child;
    },
    setChild(next) {
      child = next;
      const stop = next.engine.subscribe(relay);
      unsubscribeChild = () => void stop();
    },
    async closeChild() {
      const open = child;
      child = undefined;
      unsubscribeChild();
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
      cachedPosition = undefined;
      logError = undefined;
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
      if (logError) throw logError;
    },
    toolkitOf: (agentId) => toolkits.of(agentId),
    agentOf,
    async position() {
      cachedPosition ??= await readPosition();
      return cachedPosition;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Message rules of the current model. */
export function rulesOf({ sources: { adapter } }: Pick<LiveRun, 'sources'>): MessageRules {
  return adapter.traits.rules ?? plainRules(adapter.traits.wantsReasoningBack);
}

/** The stack is in the state document of the root, also for called runs. */
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
  'Part of the log of this run is damaged and was skipped; the run continues from its state document.';

/** Records changes of the state document that are not in the log: by a process that died, or by a person. */
export async function noteOutsideChanges(run: LiveRun): Promise<void> {
  const { at } = await run.position();
  if (!at || !run.gate) return;
  const { stepsCompleted, variables, decisionLog, artifacts } = at.state;
  const nodeId = at.node.id;
  const now: RunState = { currentNodeId: nodeId, stepsCompleted, variables, decisionLog, artifacts };
  // The remembered state comes from emitted events, which contain no key.
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
  'The state document of this run, workflow.md, is missing. Restore it and resume, or start a new run.';

/** Models also call tools that were not offered; the wire format allows only plain names. */
function toWireName(name: string, toolkit: AgentToolkit): string {
  const offered = toolkit.host.offered().find((tool) => tool.name === name);
  return offered?.wireName ?? (name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unnamed');
}
