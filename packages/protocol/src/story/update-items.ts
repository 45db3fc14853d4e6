/** What an event does to the timeline besides adding its own item: messages, calls, decisions, input. */
import type { QueuedInput } from '../event-messages.ts';
import type { EventOf, RunEvent } from '../events.ts';
import { effectOf, expectedEffect, failureOf } from '../tool-effects.ts';
import type { StoryItem } from './items.ts';
import { mergeItem, REFUSED_MOVES, replaceItem } from './merge-item.ts';
import type { Story } from './story.ts';
import { toReply, toTool } from './to-item.ts';

export function updateItems(story: Story, event: RunEvent): void {
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
        replaceItem(story, 'tool', callId, (call) => ({ ...call, approval: { action } }));
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
  const { seq, ts, callId, decision, reach, note, by } = event;
  const { timeline, pending } = story;
  if (pending?.kind !== 'approval' || pending.callId === callId) {
    story.pending = undefined;
    replaceItem(story, 'approval', callId, (item) => ({ ...item, decision, reach, note, by }));
    replaceItem(story, 'tool', callId, (call) =>
      call.approval ? { ...call, approval: { ...call.approval, decision, reach, note, by } } : call,
    );
    return;
  }
  // A decision on a later change of the reply: the run still waits for the first one.
  const change = pending.following?.find((other) => other.callId === callId);
  if (!change) return;
  const { tool, action } = change;
  timeline.push(
    mergeItem(story, { seq, ts, kind: 'approval', callId, tool, action, decision, reach, note, by }),
  );
  replaceItem(story, 'tool', callId, (call) => ({ ...call, approval: { action, decision, note, by } }));
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
  } else if (label) story.timeline.push({ seq, ts, kind: 'mark', what: purpose, name: label });
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
