import { isDelta } from '@crewagent/protocol/event-kinds';
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import { addToWorkStory, createWorkStory } from '@crewagent/protocol/story/work-story';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toMoment } from '../../navigation/moment.ts';
import { agentStoryLog, conversationIdOf, helloBranchLog } from '../../testing/logs.ts';
import { RUN_ID, runCreated, toLog } from '../../testing/made-events.ts';
import { findMoment, isDecision, mergeLogs } from './merge-logs.ts';
import { createStoryMoments } from './story-moments.ts';

/** Turns with input and a call each. */
const turnFacts = (turn: number): RunFact[] => [
  { type: 'turn.started', turn, nodeId: 'step-01-intake', requestBytes: 1, estimatedTokens: 1 },
  { type: 'input.queued', content: `more ${turn}` },
  {
    type: 'message.completed',
    role: 'assistant',
    purpose: 'reply',
    turn,
    content: `reply ${turn}`,
    toolCalls: [{ id: `c${turn}`, name: 'fs.read', arguments: '{}' }],
  },
  { type: 'tool.ended', callId: `c${turn}`, name: 'fs.read', outcome: 'ok', durationMs: 1, content: '{}' },
];

const longLog = toLog(RUN_ID, [
  runCreated,
  ...Array.from({ length: 260 }, (_, turn) => turnFacts(turn)).flat(),
]);

function foldUpTo(workId: string, events: readonly RunEvent[], index: number) {
  const story = createWorkStory(workId);
  for (const event of events.slice(0, index + 1)) addToWorkStory(story, event);
  return story;
}

describe('the moments of a story', () => {
  it('[U541] are the folds of the events up to them, in whatever order they are looked at', () => {
    const moments = createStoryMoments(RUN_ID, longLog);
    fc.assert(
      fc.property(fc.array(fc.nat(longLog.length - 1), { minLength: 1, maxLength: 6 }), (indexes) => {
        for (const index of indexes) expect(moments.at(index)).toEqual(foldUpTo(RUN_ID, longLog, index));
      }),
      { numRuns: 30 },
    );
  });

  it('belong to who asked: a change of one does not reach another', () => {
    const moments = createStoryMoments(RUN_ID, longLog);
    moments.at(700).own.timeline.length = 0;
    expect(moments.at(701)).toEqual(foldUpTo(RUN_ID, longLog, 701));
  });

  it('are prepared in parts', () => {
    const moments = createStoryMoments(RUN_ID, longLog);
    let parts = 1;
    while (moments.prepare(400)) parts++;
    expect(parts).toBe(3);
    expect(moments.at(longLog.length - 1)).toEqual(foldUpTo(RUN_ID, longLog, longLog.length - 1));
  });
});

describe('the logs of a Work as one', () => {
  const workId = conversationIdOf(agentStoryLog);
  const stored = agentStoryLog.filter((event) => !isDelta(event));
  const logs = [...new Set(stored.map(({ runId }) => runId))].map((id) =>
    stored.filter(({ runId }) => runId === id),
  );

  it('are merged by time, each in its own order', () => {
    const merged = mergeLogs(logs);
    expect(merged).toHaveLength(stored.length);
    for (const log of logs) expect(merged.filter(({ runId }) => runId === log[0]?.runId)).toEqual(log);
    expect(merged.map(({ ts }) => ts)).toEqual(merged.map(({ ts }) => ts).toSorted());
  });

  it('keep the order of a log whose clock was set back', () => {
    const late = longLog.map((event, at) => (at > 3 ? { ...event, ts: '2020-01-01T00:00:00.000Z' } : event));
    expect(mergeLogs([late, []])).toEqual(late);
  });

  it('[U541] are addressed by the number of an event in its log', () => {
    const merged = mergeLogs(logs);
    for (const [index, event] of merged.entries())
      expect(findMoment(merged, workId, toMoment(event, workId))).toBe(index);
    expect(findMoment(merged, workId, 'start')).toBe(0);
    expect(findMoment(merged, workId, 'nonsense')).toBe(merged.length - 1);
    expect(findMoment(merged, workId, 'gone:4')).toBe(0);
  });

  it('have decisions: answers, approvals and edges taken', () => {
    const types = new Set(helloBranchLog.filter(isDecision).map(({ type }) => type));
    expect([...types].toSorted()).toEqual(['question.answered', 'state.changed']);
  });
});
