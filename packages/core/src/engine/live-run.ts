/**
 * A run that is open in this process: what it remembers, where it is, how facts become events. The only way to say
 * something about a run is `emit`: stored first, remembered, then told.
 */

import { isDelta } from '@crewagent/protocol/event-kinds';
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import { CrewError } from '../base/crew-error.ts';
import type { HistoryOptions } from '../prompt/history.ts';
import { DamagedState, stateChanges } from '../tools/state-gate.ts';
import { effectiveNode, isComplete } from '../workflow/transition.ts';
import type { WorkflowState } from '../workflow/workflow-state.ts';
import { type AgentDesk, createDesks, type Desks } from './agent-desk.ts';
import type { EngineSources, EventLog, PlannedNode } from './engine-sources.ts';
import { createLoopDetector, type LoopDetector } from './loop-detector.ts';
import { createMemory, type RunMemory, remember } from './run-memory.ts';

export interface LiveRun {
  readonly sources: EngineSources;
  readonly memory: RunMemory;
  readonly detector: LoopDetector;
  readonly gate: Desks['gate'];
  readonly log: EventLog;
  /** What the person said and the model was not yet told. */
  readonly inputs: string[];
  emit(fact: RunFact): RunEvent;
  /** Where the run is, by its state document. */
  place(): Promise<Place>;
  deskOf(agentId: string): AgentDesk;
  /** The agent in charge of a node. */
  agentOf(nodeId: string | undefined): string;
  subscribe(listener: (event: RunEvent) => void): () => void;
}

export interface Place {
  readonly state: WorkflowState;
  readonly nodeId: string;
  readonly node: PlannedNode | undefined;
  readonly isComplete: boolean;
}

export async function openLiveRun(sources: EngineSources): Promise<LiveRun> {
  const { plan, record, adapter } = sources;
  const memory = createMemory();
  const detector = createLoopDetector();
  const listeners = new Set<(event: RunEvent) => void>();
  let known: Place | undefined;

  const emit = (fact: RunFact): RunEvent => {
    const event = isDelta(fact) ? log.stamp(fact) : log.append(fact);
    if (!isDelta(fact)) remember(memory, event, historyOptions);
    if (event.type === 'state.changed' || event.type === 'artifact.written') known = undefined;
    for (const listener of listeners) listener(event);
    return event;
  };

  const desks = createDesks(sources, { emit, nodeId: () => memory.history.nodeId });
  const agentOf = (nodeId: string | undefined): string =>
    (nodeId === undefined ? undefined : plan.nodes.get(nodeId)?.agentId) ?? record.activeAgentId;
  const historyOptions: HistoryOptions = {
    scope: record.context.scope,
    wantsReasoningBack: adapter.traits.wantsReasoningBack,
    toWireName: (name) => toWireName(name, desks.of(agentOf(memory.history.nodeId))),
  };
  const log = await sources.openLog((event) => remember(memory, event, historyOptions));

  const readPlace = async (): Promise<Place> => {
    const { state } = await readState(desks);
    const nodeId = effectiveNode(state, plan.graph);
    const node = plan.nodes.get(nodeId);
    if (!node)
      throw new CrewError(
        'STATE_DAMAGED',
        `The state document names the node "${nodeId}", which the workflow does not have.`,
      );
    return { state, nodeId, node, isComplete: isComplete(state, plan.graph) };
  };

  return {
    sources,
    memory,
    detector,
    gate: desks.gate,
    log,
    inputs: [],
    emit,
    deskOf: (agentId) => desks.of(agentId),
    agentOf,
    async place() {
      known ??= await readPlace();
      return known;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The state document may have moved on without a word: the process died in between, or a person edited it. */
export async function noteOutsideChanges(run: LiveRun): Promise<void> {
  const { state, nodeId } = await run.place();
  const known = run.memory.state;
  const from = known.currentNodeId;
  const before = {
    ...state,
    stepsCompleted: [...known.stepsCompleted],
    variables: known.variables,
    decisionLog: [...known.decisionLog],
  };
  const changes = stateChanges(before, state);
  const isSame =
    from === nodeId &&
    Object.keys(changes.variables).length +
      changes.unset.length +
      changes.stepsAdded.length +
      changes.decisionsAdded.length ===
      0;
  if (isSame) return;
  const { sha256 } = await run.gate.read();
  const { unset, ...rest } = changes;
  run.emit({
    type: 'state.changed',
    from,
    to: nodeId,
    ...rest,
    ...(unset.length > 0 ? { unset } : {}),
    notes: [],
    sha256,
  });
}

async function readState(desks: Desks) {
  try {
    return await desks.gate.read();
  } catch (error) {
    if (error instanceof DamagedState)
      throw new CrewError('STATE_DAMAGED', error.message, {
        details: { ...error.error.details },
        cause: error,
      });
    throw error;
  }
}

/** Names nobody offered come back from the model, too; the wire allows only plain ones. */
function toWireName(name: string, desk: AgentDesk): string {
  const offered = desk.host.offered().find((tool) => tool.name === name);
  return offered?.wireName ?? (name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unnamed');
}
