/** A run or a thread that is open in this process: its memory, its position, its events. Every fact goes through `emit`. */
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import type { MessageRules } from '@crewagent/protocol/model';
import type { RunState } from '@crewagent/protocol/run-state';
import { createKeyGuard, type KeyGuard } from '../llm/key-guard.ts';
import { plainRules } from '../llm/provider-messages.ts';
import { maskIn } from '../mounts/sensitive/hidden-values.ts';
import { visitedNodes } from '../prompt/history.ts';
import { createFileRights, type FileRights } from '../tools/file-rights.ts';
import type { StateGate } from '../tools/state/state-gate.ts';
import { isSameValue } from '../workflow/same-value.ts';
import { pathValuesOf } from '../workflow/workflow-state.ts';
import { type AgentToolkit, type AgentToolkits, createAgentToolkits } from './agent-toolkit.ts';
import type { CalledRun, CallLink, CallStack } from './calls/called-run.ts';
import { createEarlierTextWriter } from './context/earlier-text.ts';
import type { EngineSources, EventLog } from './engine-sources.ts';
import { createFoundFiles, type FoundFiles } from './proof/found-files.ts';
import { createNodeProver } from './proof/node-prover.ts';
import { createRunEvents, type RunEvents } from './run-events.ts';
import { RunMemory } from './run-memory.ts';
import { createPositionReader, type PositionReader, type RunPosition } from './run-position.ts';

export interface LiveRun extends Pick<RunEvents, 'relay' | 'emit' | 'subscribe' | 'saveInput' | 'checkLog'> {
  readonly sources: EngineSources;
  readonly memory: RunMemory;
  readonly gate: AgentToolkits['gate'];
  /** Which project files the author declared; undefined if the run may use all. */
  readonly rights: FileRights | undefined;
  readonly log: EventLog;
  /** Hides the model's API key in everything that is emitted. */
  readonly keys: KeyGuard;
  /** Notes what a host changes with its own tools; undefined for other models. */
  readonly foundFiles: FoundFiles | undefined;
  /** Undefined if no workflow can be called. */
  readonly calls: RunCalls | undefined;
  /** The run of the called sub-workflow, while it is open. */
  readonly child: CalledRun | undefined;
  /** Its events are relayed. */
  setChild(child: CalledRun): void;
  closeChild(): Promise<void>;
  /** Since the current pass started. */
  elapsedMs(): number;
  /** Discards cached state that may have changed while the run was idle. `signal`: of the pass that begins. */
  resetForRun(signal?: AbortSignal): void;
  /** Writes the text that outlines of the current node refer to. */
  saveEarlierText(): Promise<void>;
  /** Reads the position from the state document. */
  position(): Promise<RunPosition>;
  toolkitOf(agentId: string): AgentToolkit;
  /** The agent in charge of a node. */
  agentOf(nodeId: string | undefined): string;
}

const CHANGES_STATE: ReadonlySet<RunFact['type']> = new Set([
  'state.changed',
  'artifact.written',
  'artifacts.changed',
]);

/** The position of a run in the call stack. */
export type RunCalls = Pick<CallLink, 'rootId' | 'depth' | 'stack'>;

/** `memory`: passed by callers that observe it while the log is read. */
export async function openLiveRun(sources: EngineSources, memory = new RunMemory()): Promise<LiveRun> {
  const { plan, record, adapter, clock } = sources;
  const keys = createKeyGuard(adapter.apiKeys ?? [], record.runId);
  const agentOf = (nodeId: string | undefined): string =>
    (nodeId === undefined ? undefined : plan?.nodes.get(nodeId)?.agentId) ?? record.activeAgentId;
  const events = createRunEvents(sources, {
    memory,
    keys,
    history: {
      scope: plan ? record.context.scope : 'run',
      toWireName: (name) => toWireName(name, toolkits.of(agentOf(memory.history.nodeId))),
    },
  });
  const emit = (fact: RunFact): RunEvent => {
    // Before the append: if that fails, the cached position is outdated anyway.
    if (CHANGES_STATE.has(fact.type)) position.invalidate();
    return events.emit(fact);
  };
  const readRightsPosition = async () => {
    const { at, isComplete } = await position.read();
    const variables = at ? pathValuesOf(at.state) : {};
    const nodeId = isComplete ? undefined : at?.node.id;
    return { nodeId, variables, given: at?.state.inputDocuments ?? [] };
  };
  const isDeclaredOnly = async () =>
    ((await sources.readApproval?.()) ?? record.tools.approval) === 'declared';
  const rights =
    plan && createFileRights(plan, record.tools.artifactsDir, readRightsPosition, isDeclaredOnly);
  const toolkits = createAgentToolkits(sources, {
    emit,
    // The model's own keys first: their markers can be restored in every file.
    hide: (value) => maskIn(keys.hide(value)),
    hasConsent: () => memory.consent !== 'none',
    wasMissingReported: (from, to) =>
      memory.refusedTransition?.from === from && memory.refusedTransition.to === to,
    wasWrittenEarly: (path) => wasWrittenEarly(memory, path),
    proof: createNodeProver(sources, memory.visit, {
      emit,
      save: () => events.saveInput(),
      rights,
      signal: () => passSignal,
    }),
    nodeId: () => memory.history.nodeId,
    scriptPath: () => memory.scriptPath,
    visited: () => visitedNodes(memory.history),
  });
  const { gate } = toolkits;
  const position = createPositionReader(plan, gate);
  const log = await events.open();
  let child: CalledRun | undefined;
  let stopRelay = (): void => undefined;
  let startedMs = clock.monotonicMs();
  let passSignal = new AbortController().signal;
  return {
    sources,
    memory,
    gate,
    rights,
    log,
    keys,
    foundFiles:
      gate && adapter.traits.isHost
        ? createFoundFiles(sources, { visit: memory.visit, gate, emit, save: () => events.saveInput() })
        : undefined,
    calls: toRunCalls(sources, gate, position),
    get child() {
      return child;
    },
    setChild(next) {
      child = next;
      stopRelay = next.engine.subscribe(events.relay);
    },
    async closeChild() {
      const open = child;
      child = undefined;
      stopRelay();
      await open?.close();
    },
    relay: events.relay,
    emit,
    subscribe: events.subscribe,
    saveInput: events.saveInput,
    checkLog: events.checkLog,
    saveEarlierText: createEarlierTextWriter(sources.files, memory.history),
    elapsedMs: () => clock.monotonicMs() - startedMs,
    resetForRun(signal = new AbortController().signal) {
      passSignal = signal;
      position.invalidate();
      events.clearLogError();
      startedMs = clock.monotonicMs();
    },
    position: () => position.read(),
    toolkitOf: (agentId) => toolkits.of(agentId),
    agentOf,
  };
}

function wasWrittenEarly({ visit, history, refusedTransition }: RunMemory, path: string): boolean {
  const isOfThisVisit = visit.writes.has(path) || history.visit?.artifacts.has(path);
  // Said once: the file may be right as it is.
  const wasSaid = refusedTransition?.from === visit.nodeId;
  const isFirstVisit = visit.visit === 1;
  return (
    isFirstVisit && !isOfThisVisit && !wasSaid && history.visits.some(({ artifacts }) => artifacts.has(path))
  );
}

/** Message rules of the current model. */
export function rulesOf({ sources: { adapter } }: Pick<LiveRun, 'sources'>): MessageRules {
  return adapter.traits.rules ?? plainRules(adapter.traits.wantsReasoningBack);
}

/** The stack is in the state document of the root, also for called runs. */
function toRunCalls(
  { calls, record }: EngineSources,
  gate: StateGate | undefined,
  position: PositionReader,
): RunCalls | undefined {
  if (!calls || !gate) return undefined;
  if (calls.caller) return calls.caller;
  const stack: CallStack = {
    read: async () => (await position.read()).at?.state.callStack ?? [],
    async write(callStack) {
      await gate.amend(async () => ({ callStack }));
      position.invalidate();
    },
  };
  return { rootId: record.runId, depth: 0, stack };
}

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
    diff,
  });
}

/** Models also call tools that were not offered; the wire format allows only plain names. */
function toWireName(name: string, toolkit: AgentToolkit): string {
  const offered = toolkit.host.offered().find((tool) => tool.name === name);
  return offered?.wireName ?? (name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unnamed');
}
