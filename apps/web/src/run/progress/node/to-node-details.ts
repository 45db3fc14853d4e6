/** Details of a node from the run's view: visits, turns, transitions. Pure. */

import type { ItemOf, StoryItem } from '@crewagent/protocol/story/items';
import { workOf } from '@crewagent/protocol/story/node-visits';
import type { Story } from '@crewagent/protocol/story/story';

export type NodeTurn = ReturnType<typeof toTurns>[number];

export type NodeWay = NonNullable<ReturnType<typeof toWay>>;

export function toNodeDetails({ visits, timeline }: Readonly<Story>, nodeId: string) {
  const own = visits.filter((visit) => visit.nodeId === nodeId);
  return {
    visits: own,
    turns: toTurns(timeline, nodeId),
    ways: timeline.flatMap((item) => toWay(item, nodeId) ?? []),
    durationMs: sum(own.map(workOf)),
    usage: {
      promptTokens: sum(own.map(({ usage }) => usage.promptTokens)),
      completionTokens: sum(own.map(({ usage }) => usage.completionTokens)),
      costUsd: own.some(({ usage }) => usage.costUsd)
        ? sum(own.map(({ usage }) => usage.costUsd ?? 0))
        : undefined,
    },
  };
}

/** Items of one reply share its turn number. */
function toTurns(timeline: readonly StoryItem[], nodeId: string) {
  const turns = new Map<number, { ts: string; text: string | undefined; calls: ItemOf<'tool'>[] }>();
  for (const item of timeline) {
    if ((item.kind !== 'reply' && item.kind !== 'tool') || item.nodeId !== nodeId) continue;
    const turn = turns.get(item.seq) ?? { ts: item.ts, text: undefined, calls: [] };
    turns.set(item.seq, turn);
    if (item.kind === 'reply') turn.text = item.text;
    else turn.calls.push(item);
  }
  return [...turns].map(([seq, turn]) => ({ seq, ...turn }));
}

function toWay(item: StoryItem, nodeId: string) {
  if (item.kind === 'move' && item.from === nodeId) {
    const { seq, to, label, reason, isRewind } = item;
    return { seq, to, label, reason, kind: isRewind ? 'rewound' : 'taken' } as const;
  }
  if (item.kind === 'notice' && item.refused?.from === nodeId)
    return {
      seq: item.seq,
      to: item.refused.to,
      label: undefined,
      reason: item.message,
      kind: 'refused',
    } as const;
  return undefined;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
