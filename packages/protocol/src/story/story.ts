/**
 * The story of a run or a thread, folded from the events of its log: one fold for the live screen, the reloaded one, the terminal
 * and exports. Items are replaced, never mutated, so that a screen can detect changes by identity.
 */
import type { EventOf, QueuedInput, RunEvent } from '../events.ts';
import type { RunModel, Usage } from '../model.ts';
import { addUsage, NO_USAGE } from '../model.ts';
import type { PhaseReason, RunPhase } from '../run.ts';
import { EMPTY_RUN_STATE, foldRunState, type RunState } from '../run-state.ts';
import { toStatus } from '../status.ts';
import { effectOf, expectedEffect, failureOf, isChange, pathsOf } from '../tool-effects.ts';
import type { NodeType } from '../workflow.ts';
import type { EarlierItems, ItemOf, PendingItem, StoryItem, ToolItem } from './items.ts';
import { addToNodeVisits, type NodeVisit } from './node-visits.ts';
import { toItem, toReply, toTool } from './to-item.ts';

export interface Story {
  runId: string;
  package: { readonly name: string; readonly version: string; readonly hash: string } | undefined;
  workflow: { readonly ref: string; readonly title: string } | undefined;
  model: RunModel | undefined;
  /** The model of the last turn, where the run has several or was resumed with another one. */
  askedModel: string | undefined;
  nodes: readonly { readonly id: string; readonly title: string; readonly type: NodeType }[];
  state: RunState;
  /** Items in order; see `StoryItem`. */
  readonly timeline: StoryItem[];
  /** Set if the timeline has only the last items, and those that `pages.ts` says. */
  earlier?: EarlierItems | undefined;
  /** The question or approval the run is waiting for. */
  pending: PendingItem | undefined;
  /** Input that has not been sent to the model yet; it is in the timeline as well. */
  queued: readonly ItemOf<'person'>[];
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
  calls: readonly StoryCall[];
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
export interface StoryCall {
  readonly nodeId: string;
  readonly childId: string;
  readonly title: string;
  readonly outcome: EventOf<'call.ended'>['outcome'] | undefined;
}

export function createStory(runId: string): Story {
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
    usage: NO_USAGE,
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

/** Folds a log from its first event. */
export function foldStory(runId: string, events: Iterable<RunEvent>): Story {
  const story = createStory(runId);
  for (const event of events) addToStory(story, event);
  return story;
}

/** Updates the story; an event that was already added changes nothing. */
export function addToStory(story: Story, event: RunEvent): void {
  const { text = '', reasoning = '' } = story.streaming ?? {};
  switch (event.type) {
    case 'message.delta':
      story.streaming = { text: text + event.text, reasoning };
      return;
    case 'reasoning.delta':
      story.streaming = { text, reasoning: reasoning + event.text };
      return;
    case 'tool.progress': {
      const { callId, progress, total, message } = event;
      replaceItem(story, 'tool', callId, (item) =>
        item.status === 'running' ? { ...item, progress: { progress, total, message } } : item,
      );
      return;
    }
    default:
  }
  if (event.seq <= story.lastSeq) return;
  story.lastSeq = event.seq;
  story.updatedAt = event.ts;
  story.state = foldRunState(story.state, event);
  addToNodeVisits(story.visits, event);
  updateFacts(story, event);
  const made = toItem(event, story.timeline);
  const item = made && mergeItem(story, made);
  if (item) story.timeline.push(item);
  if (item?.kind === 'question' || item?.kind === 'approval') story.pending = item;
  updateItems(story, event);
}

/** Everything but the timeline. */
function updateFacts(story: Story, event: RunEvent): void {
  switch (event.type) {
    case 'run.created':
      story.package = event.package;
      story.workflow = event.workflow;
      story.model = event.model;
      story.nodes = event.nodes;
      story.caller = event.call;
      story.createdAt = event.ts;
      break;
    case 'conversation.created':
      story.model = event.model;
      story.createdAt = event.ts;
      break;
    case 'model.changed':
      story.model = event.model;
      break;
    case 'phase.changed':
      story.phase = event.phase;
      story.reason = event.reason;
      story.streaming = undefined;
      story.firstByteSeconds = undefined;
      endPartial(story);
      break;
    case 'turn.started':
      story.turns = event.turn;
      story.turnStartedAt = event.ts;
      story.firstByteSeconds = event.firstByteSeconds;
      story.askedModel = event.model;
      story.requestTokens = event.estimatedTokens;
      story.streaming = undefined;
      endPartial(story);
      break;
    case 'message.partial':
      story.partial = {
        seq: event.seq,
        ts: event.ts,
        kind: 'reply',
        text: (story.partial?.text ?? '') + event.text,
        reasoning: undefined,
        nodeId: event.nodeId,
        turn: event.turn,
        isPartial: true,
      };
      break;
    case 'call.started': {
      const { nodeId, childId, workflow } = event;
      const title = workflow.title || workflow.ref;
      story.calls = [...story.calls, { nodeId, childId, title, outcome: undefined }];
      break;
    }
    case 'call.ended': {
      const { childId, outcome, usage } = event;
      story.calls = story.calls.map((call) => (call.childId === childId ? { ...call, outcome } : call));
      story.usage = addUsage(story.usage, usage);
      break;
    }
    case 'usage.updated':
      story.usage = event.total;
      if (!event.usage.isEstimated) story.requestTokens = event.usage.promptTokens;
      break;
    case 'llm.retry':
      story.streaming = undefined;
      story.partial = undefined;
      break;
    default:
  }
}

/** The turn ended without a complete reply: what was streamed of it stays. */
function endPartial(story: Story): void {
  if (story.partial && story.partial.text.trim() !== '') story.timeline.push(story.partial);
  story.partial = undefined;
}

/** Connects a new item with those before it that show the same. */
function mergeItem(story: Story, item: StoryItem): StoryItem {
  const { timeline } = story;
  switch (item.kind) {
    case 'approval':
      return hasItem(story, item.callId) ? { ...item, isMerged: true } : item;
    case 'artifact': {
      const isWriter = ({ status, effect }: ToolItem): boolean =>
        isChange(effect) && (status === 'running' || pathsOf(effect).includes(item.path));
      const call = findCall(timeline, isWriter);
      if (!call) return item;
      replaceItem(story, 'tool', call.callId, (tool) => ({ ...tool, isArtifact: true }));
      return { ...item, isMerged: true };
    }
    case 'move':
    case 'notice': {
      const isOfCall = item.kind === 'move' ? !item.isRewind : item.refused && REFUSED_MOVES.has(item.code);
      const call = isOfCall && findCall(timeline, isRunningStateWrite);
      if (!call) return item;
      replaceItem(story, 'tool', call.callId, (tool) => ({ ...tool, isMerged: true }));
      return { ...item, callId: call.callId };
    }
    case 'phase':
      return mergePhase(timeline, item);
    default:
      return item;
  }
}

/** Errors of rejected transitions, which are items of their own. */
const REFUSED_MOVES: ReadonlySet<string | undefined> = new Set(['E_INVALID_TRANSITION', 'E_OUTPUTS_MISSING']);

function isRunningStateWrite({ status, effect }: ToolItem): boolean {
  return status === 'running' && effect.kind === 'state';
}

/** The last call that fits, if it is recent. */
function findCall(timeline: readonly StoryItem[], fits: (call: ToolItem) => boolean): ToolItem | undefined {
  const found = timeline.slice(-RECENT).findLast((item) => item.kind === 'tool' && fits(item));
  return found?.kind === 'tool' ? found : undefined;
}

const RECENT = 64;

function mergePhase(timeline: StoryItem[], item: ItemOf<'phase'>): ItemOf<'phase'> {
  const { isRunning, isCompleted } = toStatus(item);
  const last = timeline.at(-1);
  if (last?.kind === 'notice' && last.level === 'error' && isReason(last, item))
    timeline[timeline.length - 1] = { ...last, isMerged: true };
  const index = isRunning ? timeline.findLastIndex(({ kind }) => kind === 'phase') : -1;
  const idle = timeline[index];
  if (idle?.kind === 'phase') timeline[index] = { ...idle, resumedAt: item.ts };
  // A workflow completes once: later messages do not complete it again.
  const before = isCompleted ? timeline.findLast(isCompletionOrRewind) : undefined;
  return before?.kind === 'phase' ? { ...item, isMerged: true } : item;
}

function isReason({ code, message }: ItemOf<'notice'>, { reason }: ItemOf<'phase'>): boolean {
  return reason?.code === code && reason.message === message;
}

function isCompletionOrRewind(item: StoryItem): boolean {
  return item.kind === 'phase' ? toStatus(item).isCompleted : item.kind === 'move' && item.isRewind === true;
}

/** What an event does to the timeline besides adding its own item: messages, calls, decisions, input. */
function updateItems(story: Story, event: RunEvent): void {
  switch (event.type) {
    case 'message.completed':
      if (event.purpose === 'input') addSentInput(story, event);
      // Anchors and nudges are between the runtime and the model.
      else if (event.purpose === 'reply') addReply(story, event);
      break;
    case 'tool.started':
      replaceItem(story, 'tool', event.callId, (item) => ({
        ...item,
        status: 'running',
        path: event.path,
        effect: expectedEffect(item.name, event.path),
      }));
      break;
    case 'tool.ended':
      endTool(story, event);
      break;
    case 'phase.changed': {
      // A call that the disk refused is made again when the run continues.
      const callId = event.reason?.details?.retriedCall;
      if (typeof callId === 'string')
        replaceItem(story, 'tool', callId, (item) => ({ ...item, status: 'asked' }));
      break;
    }
    case 'question.answered':
      story.pending = undefined;
      replaceItem(story, 'question', event.callId, (item) => ({ ...item, answers: event.answers }));
      break;
    case 'approval.requested':
      if (story.pending?.kind !== 'approval') break;
      for (const { callId, action } of [story.pending, ...(story.pending.following ?? [])])
        replaceItem(story, 'tool', callId, (call) => ({
          ...call,
          approval: { action, decision: undefined, note: undefined },
        }));
      break;
    case 'approval.resolved':
      resolveApproval(story, event);
      break;
    case 'input.queued':
      addQueued(story, event, event);
      break;
    case 'errands.queued':
    case 'script.entered':
      for (const input of event.inputs) addQueued(story, event, input);
      break;
    case 'input.withdrawn': {
      const isWithdrawn = (item: StoryItem): boolean => item.kind === 'person' && item.seq === event.inputSeq;
      story.queued = story.queued.filter((item) => !isWithdrawn(item));
      const index = story.timeline.findLastIndex(isWithdrawn);
      if (index >= 0) story.timeline.splice(index, 1);
      break;
    }
    default:
  }
}

function addReply(story: Story, event: EventOf<'message.completed'>): void {
  story.streaming = undefined;
  story.firstByteSeconds = undefined;
  story.partial = undefined;
  if (event.content !== '') story.timeline.push(toReply(story.turnStartedAt, event));
  for (const call of event.toolCalls ?? []) story.timeline.push(toTool(call, event));
}

function endTool(story: Story, event: EventOf<'tool.ended'>): void {
  const { callId, outcome, code, durationMs, content } = event;
  replaceItem(story, 'tool', callId, (item) => ({
    ...item,
    progress: undefined,
    status: outcome,
    code,
    message: failureOf(event),
    durationMs,
    answer: content,
    effect: effectOf(event, item.path),
    // A call that failed otherwise made no transition.
    isMerged: outcome === 'ok' || REFUSED_MOVES.has(code) ? item.isMerged : undefined,
  }));
  if (story.pending?.callId === callId) story.pending = undefined;
}

function resolveApproval(story: Story, event: EventOf<'approval.resolved'>): void {
  const { seq, ts, callId, decision, reach, note } = event;
  const { timeline, pending } = story;
  if (pending?.kind !== 'approval' || pending.callId === callId) {
    story.pending = undefined;
    replaceItem(story, 'approval', callId, (item) => ({ ...item, decision, reach, note }));
    replaceItem(story, 'tool', callId, (call) =>
      call.approval ? { ...call, approval: { ...call.approval, decision, reach, note } } : call,
    );
    return;
  }
  // A decision on a later change of the reply: the run still waits for the first one.
  const change = pending.following?.find((other) => other.callId === callId);
  if (!change) return;
  const { tool, action } = change;
  timeline.push(mergeItem(story, { seq, ts, kind: 'approval', callId, tool, action, decision, reach, note }));
  replaceItem(story, 'tool', callId, (call) => ({ ...call, approval: { action, decision, note } }));
  replaceItem(story, 'approval', pending.callId, (item) => {
    story.pending = { ...item, following: item.following?.filter((other) => other !== change) ?? [] };
    return story.pending;
  });
}

function addQueued(story: Story, { seq, ts }: RunEvent, { content, purpose, label }: QueuedInput): void {
  if (!purpose) {
    const item = { seq, ts, kind: 'person', text: content, nodeId: story.state.currentNodeId } as const;
    story.queued = [...story.queued, item];
    story.timeline.push(item);
  } else if (label !== undefined) story.timeline.push({ seq, ts, kind: 'errand', purpose, label });
}

/** The input is already in the timeline. It moves behind replies and calls the model made before it received the input. */
function addSentInput(story: Story, event: EventOf<'message.completed'>): void {
  const { seq, ts, content: text, nodeId } = event;
  const { timeline } = story;
  const [sent, ...queued] = story.queued;
  story.queued = queued;
  if (!sent) {
    timeline.push({ seq, ts, kind: 'person', text, nodeId });
    return;
  }
  const index = timeline.findLastIndex(
    (item) => item.kind === 'person' && item.seq === sent.seq && item.text === sent.text,
  );
  const isLast = index >= 0 && !timeline.slice(index).some(({ kind }) => kind === 'reply' || kind === 'tool');
  if (isLast) return;
  // An item that is not loaded is replaced where it is loaded from.
  if (index >= 0) timeline.splice(index, 1);
  timeline.push({ ...sent, seq, nodeId });
}

function hasItem({ timeline }: Story, callId: string): boolean {
  return timeline.findLast((item) => item.kind === 'tool' && item.callId === callId) !== undefined;
}

/** Calls end soon after they are made, so the search from the end is short. */
function replaceItem<Kind extends 'tool' | 'question' | 'approval'>(
  { timeline }: Story,
  kind: Kind,
  callId: string,
  change: (item: ItemOf<Kind>) => ItemOf<Kind>,
): void {
  const index = timeline.findLastIndex((item) => item.kind === kind && item.callId === callId);
  const item = timeline[index];
  if (item) timeline[index] = change(item as ItemOf<Kind>);
}
