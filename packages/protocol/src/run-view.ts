/**
 * The view of a run, folded from its events: one fold for the live screen, the reloaded one, the terminal and exports. Entries
 * are replaced, never mutated, so that a screen can detect changes by identity.
 */
import type { EventOf, RunEvent } from './events.ts';
import type { RunModel, Usage } from './model.ts';
import { addToNodeVisits, type NodeVisit } from './node-visits.ts';
import { addPersonEvent, addSentInput, type PersonView } from './person-view.ts';
import type { PhaseReason, RunPhase } from './run.ts';
import { EMPTY_RUN_STATE, foldRunState, type RunState } from './run-state.ts';
import type { Entry, ItemOf, TimelineItem } from './timeline.ts';
import { replaceItem, toMove, toReplyItem, toToolItem } from './timeline-items.ts';
import { effectOf, expectedEffect, failureOf } from './tool-effects.ts';
import { addUsage } from './usage.ts';
import type { NodeType } from './workflow.ts';

export interface RunView extends PersonView {
  runId: string;
  package: { readonly name: string; readonly version: string; readonly hash: string } | undefined;
  workflow: { readonly ref: string; readonly title: string } | undefined;
  model: RunModel | undefined;
  /** The model of the last turn, where the run has several or was resumed with another one. */
  askedModel: string | undefined;
  nodes: readonly { readonly id: string; readonly title: string; readonly type: NodeType }[];
  state: RunState;
  phase: RunPhase;
  reason: PhaseReason | undefined;
  turns: number;
  /** Start of the last turn. */
  turnStartedAt: string | undefined;
  /** While it has no reply: how long the first data may take. */
  firstByteSeconds: number | undefined;
  /** Tokens of the last request: our estimate until the provider reports a count. */
  requestTokens: number | undefined;
  usage: Usage;
  /** Sub-workflows that it called, in the order of the calls. */
  calls: readonly ViewedCall[];
  /** For a called run: the call. */
  caller: EventOf<'run.created'>['call'];
  /** Visits to nodes, in the order they began. */
  readonly visits: NodeVisit[];
  /** Text of the reply in progress. */
  streaming: { readonly text: string; readonly reasoning: string } | undefined;
  /** What is stored of a reply that is not complete. It becomes part of the timeline if the turn ends without one. */
  partial: ItemOf<'reply'> | undefined;
  lastSeq: number;
  createdAt: string | undefined;
  updatedAt: string | undefined;
}

/** A call of a sub-workflow; without an outcome it is under way. */
export interface ViewedCall {
  readonly nodeId: string;
  readonly childId: string;
  readonly title: string;
  readonly outcome: EventOf<'call.ended'>['outcome'] | undefined;
}

export function createRunView(runId: string): RunView {
  return {
    runId,
    package: undefined,
    workflow: undefined,
    model: undefined,
    askedModel: undefined,
    nodes: [],
    state: EMPTY_RUN_STATE,
    phase: 'WaitingUser',
    reason: undefined,
    queued: [],
    pending: undefined,
    turns: 0,
    turnStartedAt: undefined,
    firstByteSeconds: undefined,
    requestTokens: undefined,
    usage: { promptTokens: 0, completionTokens: 0, cachedTokens: 0 },
    calls: [],
    caller: undefined,
    visits: [],
    timeline: [],
    streaming: undefined,
    partial: undefined,
    lastSeq: 0,
    createdAt: undefined,
    updatedAt: undefined,
  };
}

/** Folds a run from its first event. */
export function foldRun(runId: string, events: Iterable<RunEvent>): RunView {
  const view = createRunView(runId);
  for (const event of events) addToRunView(view, event);
  return view;
}

/** Updates the view; an event that was already added changes nothing. */
export function addToRunView(view: RunView, event: RunEvent): void {
  switch (event.type) {
    case 'message.delta':
      view.streaming = {
        text: (view.streaming?.text ?? '') + event.text,
        reasoning: view.streaming?.reasoning ?? '',
      };
      return;
    case 'reasoning.delta':
      view.streaming = {
        text: view.streaming?.text ?? '',
        reasoning: (view.streaming?.reasoning ?? '') + event.text,
      };
      return;
    case 'tool.progress': {
      const { callId, progress, total, message } = event;
      replaceItem(view.timeline, 'tool', callId, (item) =>
        item.status === 'running' ? { ...item, progress: { progress, total, message } } : item,
      );
      return;
    }
    default:
  }
  if (event.seq <= view.lastSeq) return;
  view.lastSeq = event.seq;
  view.updatedAt = event.ts;
  view.state = foldRunState(view.state, event);
  addToNodeVisits(view.visits, event);
  addStoredEvent(view, event);
}

function addStoredEvent(view: RunView, event: RunEvent): void {
  const entry: Entry = { seq: event.seq, ts: event.ts };
  const add = (item: TimelineItem): number => view.timeline.push(item);
  switch (event.type) {
    case 'run.created':
      view.package = event.package;
      view.workflow = event.workflow;
      view.model = event.model;
      view.nodes = event.nodes;
      view.caller = event.call;
      view.createdAt = event.ts;
      break;
    case 'conversation.created':
      view.model = event.model;
      view.createdAt = event.ts;
      break;
    case 'model.changed':
      view.model = event.model;
      break;
    case 'phase.changed':
      view.phase = event.phase;
      view.reason = event.reason;
      view.streaming = undefined;
      view.firstByteSeconds = undefined;
      endPartial(view);
      resetRefused(view, event);
      add({ ...entry, kind: 'phase', phase: event.phase, reason: event.reason });
      break;
    case 'turn.started':
      view.turns = event.turn;
      view.turnStartedAt = event.ts;
      view.firstByteSeconds = event.firstByteSeconds;
      view.askedModel = event.model;
      view.requestTokens = event.estimatedTokens;
      view.streaming = undefined;
      endPartial(view);
      break;
    case 'message.partial':
      view.partial = {
        ...entry,
        kind: 'reply',
        text: (view.partial?.text ?? '') + event.text,
        reasoning: undefined,
        nodeId: event.nodeId,
        turn: event.turn,
        isPartial: true,
      };
      break;
    case 'message.completed':
      addMessage(view, event, entry);
      break;
    case 'tool.started':
      replaceItem(view.timeline, 'tool', event.callId, (item) => ({
        ...item,
        status: 'running',
        path: event.path,
        effect: expectedEffect(item.name, event.path),
      }));
      break;
    case 'tool.ended':
      endTool(view, event);
      break;
    case 'state.changed':
      if (event.from !== event.to || event.isRewind) add(toMove(event, entry));
      break;
    case 'call.started': {
      const { nodeId, childId, workflow } = event;
      const title = workflow.title || workflow.ref;
      view.calls = [...view.calls, { nodeId, childId, title, outcome: undefined }];
      add({ ...entry, kind: 'call', nodeId, childId, title });
      break;
    }
    case 'call.ended': {
      const { nodeId, childId, title, outcome } = event;
      view.calls = view.calls.map((call) => (call.childId === childId ? { ...call, outcome } : call));
      view.usage = addUsage(view.usage, event.usage);
      add({ ...entry, kind: 'call-ended', nodeId, childId, title, outcome });
      break;
    }
    case 'artifact.written':
      add({ ...entry, kind: 'artifact', path: event.path });
      break;
    case 'changes.undone': {
      const { direction, selection, files } = event;
      add({ ...entry, kind: 'undone', direction, selection, files });
      break;
    }
    case 'usage.updated':
      view.usage = event.total;
      if (!event.usage.isEstimated) view.requestTokens = event.usage.promptTokens;
      break;
    case 'llm.retry':
      view.streaming = undefined;
      view.partial = undefined;
      addPersonEvent(view, event, entry);
      break;
    default:
      addPersonEvent(view, event, entry);
  }
}

/** A call that the disk refused is made again when the run continues. */
function resetRefused(view: RunView, { reason }: EventOf<'phase.changed'>): void {
  const callId = reason?.details?.retriedCall;
  if (typeof callId === 'string')
    replaceItem(view.timeline, 'tool', callId, (item) => ({ ...item, status: 'asked' }));
}

function endTool(view: RunView, event: EventOf<'tool.ended'>): void {
  const { callId, outcome, code, durationMs, content } = event;
  replaceItem(view.timeline, 'tool', callId, ({ progress: _, ...item }) => ({
    ...item,
    status: outcome,
    code,
    message: failureOf(event),
    durationMs,
    answer: content,
    effect: effectOf(event, item.path),
  }));
  if (view.pending?.callId === callId) view.pending = undefined;
}

/** Anchors and nudges are between the runtime and the model. */
function addMessage(view: RunView, event: EventOf<'message.completed'>, entry: Entry): void {
  const { purpose, content: text, nodeId } = event;
  if (purpose === 'input') addSentInput(view, event, entry);
  if (purpose !== 'reply') return;
  view.streaming = undefined;
  view.firstByteSeconds = undefined;
  view.partial = undefined;
  if (text !== '') view.timeline.push(toReplyItem(view.turnStartedAt, event));
  for (const call of event.toolCalls ?? []) view.timeline.push(toToolItem(call, nodeId, entry));
}

/** The turn ended without a complete reply: what was streamed of it stays. */
function endPartial(view: RunView): void {
  if (view.partial && view.partial.text.trim() !== '') view.timeline.push(view.partial);
  view.partial = undefined;
}
