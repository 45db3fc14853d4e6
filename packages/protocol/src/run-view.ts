/**
 * The view of a run, folded from its events: one fold for the live screen, the reloaded one, the terminal and exports. Entries
 * are replaced, never mutated, so that a screen can detect changes by identity.
 */
import { toConversationItem } from './conversation-items.ts';
import { actionOf } from './described-actions.ts';
import type { EventOf, LoggedToolCall, QueuedInput, RunEvent } from './events.ts';
import type { RunModel, Usage } from './model.ts';
import { addToNodeVisits, type NodeVisit } from './node-visits.ts';
import { toNotice } from './notices.ts';
import type { PhaseReason, RunPhase } from './run.ts';
import { EMPTY_RUN_STATE, foldRunState, type RunState } from './run-state.ts';
import type { Entry, ItemOf, PendingItem, TimelineItem } from './timeline.ts';
import { effectOf, expectedEffect, failureOf } from './tool-effects.ts';
import { addUsage } from './usage.ts';
import type { NodeType } from './workflow.ts';

export interface RunView {
  runId: string;
  package: { readonly name: string; readonly version: string; readonly hash: string } | undefined;
  workflow: { readonly ref: string; readonly title: string } | undefined;
  model: RunModel | undefined;
  /** The model of the last turn, where the run has several. */
  askedModel: string | undefined;
  nodes: readonly { readonly id: string; readonly title: string; readonly type: NodeType }[];
  state: RunState;
  phase: RunPhase;
  reason: PhaseReason | undefined;
  /** The question or approval the run is waiting for. */
  pending: PendingItem | undefined;
  /** Input that has not been sent to the model yet; it is in the timeline as well. */
  queued: readonly ItemOf<'person'>[];
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
  readonly timeline: TimelineItem[];
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
      replaceItem(view, 'tool', event.callId, (item) => ({
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
    case 'changes.undone':
      add({ ...entry, kind: 'undone', direction: event.direction, files: event.files });
      break;
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

function endTool(view: RunView, event: EventOf<'tool.ended'>): void {
  const { callId, outcome, code, durationMs, content } = event;
  replaceItem(view, 'tool', callId, (item) => ({
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

/** Questions, approvals and input of a person, and notices. */
function addPersonEvent(view: RunView, event: RunEvent, entry: Entry): void {
  const { timeline } = view;
  switch (event.type) {
    case 'question.asked': {
      const item = {
        ...entry,
        kind: 'question',
        callId: event.callId,
        questions: event.questions,
        answers: undefined,
      } as const;
      timeline.push(item);
      view.pending = item;
      break;
    }
    case 'question.answered':
      view.pending = undefined;
      replaceItem(view, 'question', event.callId, (item) => ({ ...item, answers: event.answers }));
      break;
    case 'approval.requested': {
      const { callId, tool, runsLater, following } = event;
      const action = actionOf(event);
      const item = {
        ...entry,
        kind: 'approval',
        callId,
        tool,
        action,
        ...(runsLater ? { runsLater } : {}),
        ...(following ? { following } : {}),
        decision: undefined,
        note: undefined,
      } as const;
      timeline.push(item);
      view.pending = item;
      for (const change of [{ callId, action }, ...(following ?? [])])
        replaceItem(view, 'tool', change.callId, (call) => ({
          ...call,
          approval: { action: change.action, decision: undefined, note: undefined },
        }));
      break;
    }
    case 'approval.resolved': {
      const { callId, decision, reach, note } = event;
      const resolution = { decision, ...(reach ? { reach } : {}), note };
      if (view.pending?.kind === 'approval' && view.pending.callId !== callId) {
        resolveFollowing(view, view.pending, { ...entry, callId, ...resolution });
        break;
      }
      view.pending = undefined;
      replaceItem(view, 'approval', callId, (item) => ({ ...item, ...resolution }));
      replaceItem(view, 'tool', callId, (call) =>
        call.approval ? { ...call, approval: { ...call.approval, ...resolution } } : call,
      );
      break;
    }
    case 'input.queued':
      addQueued(view, event, entry);
      break;
    case 'input.withdrawn': {
      const isWithdrawn = (item: TimelineItem): boolean =>
        item.kind === 'person' && item.seq === event.inputSeq;
      view.queued = view.queued.filter((item) => !isWithdrawn(item));
      const index = timeline.findLastIndex(isWithdrawn);
      if (index >= 0) timeline.splice(index, 1);
      break;
    }
    case 'errands.queued':
      for (const input of event.inputs) addQueued(view, input, entry);
      break;
    default: {
      const item = toNotice(event, entry) ?? toConversationItem(event, entry, timeline);
      if (item) timeline.push(item);
      if (event.type === 'script.entered') for (const input of event.inputs) addQueued(view, input, entry);
    }
  }
}

/** A decision on a later change of the reply: the run still waits for the first one. */
function resolveFollowing(
  view: RunView,
  pending: ItemOf<'approval'>,
  resolved: Entry & Pick<ItemOf<'approval'>, 'callId' | 'decision' | 'reach' | 'note'>,
): void {
  const { callId, decision, note } = resolved;
  const change = pending.following?.find((other) => other.callId === callId);
  if (!change) return;
  const { tool, action } = change;
  view.timeline.push({ ...resolved, kind: 'approval', tool, action });
  replaceItem(view, 'tool', callId, (call) => ({ ...call, approval: { action, decision, note } }));
  replaceItem(view, 'approval', pending.callId, (item) => {
    const following = item.following?.filter((other) => other !== change) ?? [];
    view.pending = { ...item, following };
    return view.pending;
  });
}

function addQueued(view: RunView, { content, purpose, label }: QueuedInput, entry: Entry): void {
  const { timeline, state } = view;
  if (!purpose) {
    const item = { ...entry, kind: 'person', text: content, nodeId: state.currentNodeId } as const;
    view.queued = [...view.queued, item];
    timeline.push(item);
  } else if (label !== undefined) timeline.push({ ...entry, kind: 'errand', purpose, label });
}

/** Anchors and nudges are between the runtime and the model. */
function addMessage(view: RunView, event: EventOf<'message.completed'>, entry: Entry): void {
  const { purpose, content: text, nodeId } = event;
  if (purpose === 'input') addSentInput(view, event, entry);
  if (purpose !== 'reply') return;
  view.streaming = undefined;
  view.firstByteSeconds = undefined;
  view.partial = undefined;
  if (text !== '') view.timeline.push(toReplyItem(view, event));
  for (const call of event.toolCalls ?? []) view.timeline.push(toToolItem(call, nodeId, entry));
}

/** The turn ended without a complete reply: what was streamed of it stays. */
function endPartial(view: RunView): void {
  if (view.partial && view.partial.text.trim() !== '') view.timeline.push(view.partial);
  view.partial = undefined;
}

/** The input is already in the timeline. It moves behind replies and calls the model made before it received the input. */
function addSentInput(view: RunView, event: EventOf<'message.completed'>, entry: Entry): void {
  const { content: text, nodeId } = event;
  const { timeline } = view;
  const [sent, ...queued] = view.queued;
  view.queued = queued;
  if (!sent) {
    timeline.push({ ...entry, kind: 'person', text, nodeId });
    return;
  }
  const index = timeline.findLastIndex(
    (item) => item.kind === 'person' && item.seq === sent.seq && item.text === sent.text,
  );
  if (index < 0 || !timeline.slice(index).some(({ kind }) => kind === 'reply' || kind === 'tool')) return;
  timeline.splice(index, 1);
  timeline.push({ ...sent, seq: entry.seq, nodeId });
}

// Items that a run has tens of thousands of are spelled out: spreading is several times slower.
function toReplyItem(view: RunView, event: EventOf<'message.completed'>): ItemOf<'reply'> {
  const { seq, ts, content: text, reasoning, nodeId, turn = 0 } = event;
  if (!reasoning) return { seq, ts, kind: 'reply', text, reasoning, nodeId, turn };
  return { seq, ts, kind: 'reply', text, reasoning, ...toThinkingTime(view, event), nodeId, turn };
}

/** Estimated as a share of the reply's time, because a log times the whole reply only. */
function toThinkingTime(
  { turnStartedAt }: RunView,
  { reasoning, content, toolCalls = [], ts }: EventOf<'message.completed'>,
): { thoughtMs?: number } {
  if (!reasoning || turnStartedAt === undefined) return {};
  const calls = toolCalls.reduce((sum, call) => sum + call.arguments.length, 0);
  const share = reasoning.length / (reasoning.length + content.length + calls);
  return { thoughtMs: Math.max(0, Math.round((Date.parse(ts) - Date.parse(turnStartedAt)) * share)) };
}

function toMove(event: EventOf<'state.changed'>, entry: Entry): ItemOf<'move'> {
  const { from, to, label, variables, unset = [], notes } = event;
  const reason = event.decisionsAdded.find(
    (decision) => decision.from === from && decision.to === to,
  )?.reason;
  const isRewind = event.isRewind ? ({ isRewind: true } as const) : {};
  const carry = event.carry === undefined ? {} : { carry: event.carry };
  return { ...entry, kind: 'move', from, to, label, reason, variables, unset, notes, ...isRewind, ...carry };
}

function toToolItem(call: LoggedToolCall, nodeId: string | undefined, entry: Entry): ItemOf<'tool'> {
  return {
    seq: entry.seq,
    ts: entry.ts,
    kind: 'tool',
    callId: call.id,
    name: call.name,
    arguments: call.arguments,
    path: undefined,
    status: 'asked',
    code: undefined,
    message: undefined,
    durationMs: undefined,
    answer: undefined,
    effect: expectedEffect(call.name),
    nodeId,
  };
}

/** Calls end soon after they are made, so the search from the end is short. */
function replaceItem<Kind extends 'tool' | 'question' | 'approval'>(
  { timeline }: RunView,
  kind: Kind,
  callId: string,
  change: (item: ItemOf<Kind>) => ItemOf<Kind>,
): void {
  const index = timeline.findLastIndex((item) => item.kind === kind && item.callId === callId);
  const item = timeline[index];
  if (item) timeline[index] = change(item as ItemOf<Kind>);
}
