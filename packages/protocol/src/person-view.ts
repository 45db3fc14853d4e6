/**
 * The part of a run's view that people act on: questions, approvals and input, and the notices they read. Folded from events like
 * the rest of the view.
 */
import { toConversationItem } from './conversation-items.ts';
import { actionOf } from './described-actions.ts';
import type { EventOf, QueuedInput, RunEvent } from './events.ts';
import { toNotice } from './notices.ts';
import type { RunState } from './run-state.ts';
import type { Entry, ItemOf, PendingItem, TimelineItem } from './timeline.ts';
import { replaceItem } from './timeline-items.ts';

export interface PersonView {
  /** The question or approval the run is waiting for. */
  pending: PendingItem | undefined;
  /** Input that has not been sent to the model yet; it is in the timeline as well. */
  queued: readonly ItemOf<'person'>[];
  readonly timeline: TimelineItem[];
  readonly state: RunState;
}

export function addPersonEvent(view: PersonView, event: RunEvent, entry: Entry): void {
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
      replaceItem(timeline, 'question', event.callId, (item) => ({ ...item, answers: event.answers }));
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
        replaceItem(timeline, 'tool', change.callId, (call) => ({
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
      replaceItem(timeline, 'approval', callId, (item) => ({ ...item, ...resolution }));
      replaceItem(timeline, 'tool', callId, (call) =>
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
  view: PersonView,
  pending: ItemOf<'approval'>,
  resolved: Entry & Pick<ItemOf<'approval'>, 'callId' | 'decision' | 'reach' | 'note'>,
): void {
  const { timeline } = view;
  const { callId, decision, note } = resolved;
  const change = pending.following?.find((other) => other.callId === callId);
  if (!change) return;
  const { tool, action } = change;
  timeline.push({ ...resolved, kind: 'approval', tool, action });
  replaceItem(timeline, 'tool', callId, (call) => ({ ...call, approval: { action, decision, note } }));
  replaceItem(timeline, 'approval', pending.callId, (item) => {
    const following = item.following?.filter((other) => other !== change) ?? [];
    view.pending = { ...item, following };
    return view.pending;
  });
}

function addQueued(view: PersonView, { content, purpose, label }: QueuedInput, entry: Entry): void {
  const { timeline, state } = view;
  if (!purpose) {
    const item = { ...entry, kind: 'person', text: content, nodeId: state.currentNodeId } as const;
    view.queued = [...view.queued, item];
    timeline.push(item);
  } else if (label !== undefined) timeline.push({ ...entry, kind: 'errand', purpose, label });
}

/** The input is already in the timeline. It moves behind replies and calls the model made before it received the input. */
export function addSentInput(view: PersonView, event: EventOf<'message.completed'>, entry: Entry): void {
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
