/**
 * Creates the items of a timeline that a run has tens of thousands of, and replaces items. They are spelled out: spreading is
 * several times slower.
 */
import type { EventOf, LoggedToolCall } from './events.ts';
import type { Entry, ItemOf, TimelineItem } from './timeline.ts';
import { expectedEffect } from './tool-effects.ts';

/** `turnStartedAt`: when the model was asked. */
export function toReplyItem(
  turnStartedAt: string | undefined,
  event: EventOf<'message.completed'>,
): ItemOf<'reply'> {
  const { seq, ts, content: text, reasoning, nodeId, turn = 0 } = event;
  if (!reasoning) return { seq, ts, kind: 'reply', text, reasoning, nodeId, turn };
  return { seq, ts, kind: 'reply', text, reasoning, ...toThinkingTime(turnStartedAt, event), nodeId, turn };
}

/** Estimated as a share of the reply's time, because a log times the whole reply only. */
function toThinkingTime(
  turnStartedAt: string | undefined,
  { reasoning, content, toolCalls = [], ts }: EventOf<'message.completed'>,
): { thoughtMs?: number } {
  if (!reasoning || turnStartedAt === undefined) return {};
  const calls = toolCalls.reduce((sum, call) => sum + call.arguments.length, 0);
  const share = reasoning.length / (reasoning.length + content.length + calls);
  return { thoughtMs: Math.max(0, Math.round((Date.parse(ts) - Date.parse(turnStartedAt)) * share)) };
}

export function toMove(event: EventOf<'state.changed'>, entry: Entry): ItemOf<'move'> {
  const { from, to, label, variables, unset = [], notes } = event;
  const reason = event.decisionsAdded.find(
    (decision) => decision.from === from && decision.to === to,
  )?.reason;
  const isRewind = event.isRewind ? ({ isRewind: true } as const) : {};
  const carry = event.carry === undefined ? {} : { carry: event.carry };
  return { ...entry, kind: 'move', from, to, label, reason, variables, unset, notes, ...isRewind, ...carry };
}

export function toToolItem(call: LoggedToolCall, nodeId: string | undefined, entry: Entry): ItemOf<'tool'> {
  const item: ItemOf<'tool'> = {
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
  return call.isFromText ? { ...item, isFromText: true } : item;
}

/** Calls end soon after they are made, so the search from the end is short. */
export function replaceItem<Kind extends 'tool' | 'question' | 'approval'>(
  timeline: TimelineItem[],
  kind: Kind,
  callId: string,
  change: (item: ItemOf<Kind>) => ItemOf<Kind>,
): void {
  const index = timeline.findLastIndex((item) => item.kind === kind && item.callId === callId);
  const item = timeline[index];
  if (item) timeline[index] = change(item as ItemOf<Kind>);
}
