import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import { addToWorkStory, createWorkStory } from '@crewagent/protocol/story/work-story';
import { describe, expect, it } from 'vitest';
import { usageOf } from './describe-work.ts';

const usage = (promptTokens: number) => ({ promptTokens, completionTokens: 1, cachedTokens: 0 });
const used = (promptTokens: number): RunFact => ({
  type: 'usage.updated',
  turn: 1,
  usage: usage(promptTokens),
  total: usage(promptTokens),
});
const call = { nodeId: 'plan', childId: 'child' } as const;

describe('usageOf', () => {
  it('[C13] counts a called workflow once, during the call and after it', () => {
    const view = createWorkStory('conversation');
    let seq = 0;
    const add = (runId: string, fact: RunFact): void =>
      addToWorkStory(view, { v: 1, seq: ++seq, ts: '2026-01-31T09:30:00.000Z', runId, ...fact } as RunEvent);
    add('conversation', used(100));
    const turn = (runId: string, number: number): void =>
      add(runId, { type: 'turn.started', turn: number, requestBytes: 1, estimatedTokens: 1 });
    turn('run', 1);
    add('run', used(10));
    add('run', { type: 'call.started', ...call, workflow: { ref: 'plan', title: 'Plan' } });
    turn('child', 1);
    add('child', used(5));
    turn('child', 2);
    expect(usageOf(view).turns).toBe(3);
    expect(usageOf(view).usage).toEqual({ promptTokens: 115, completionTokens: 3, cachedTokens: 0 });
    add('run', {
      type: 'call.ended',
      ...call,
      title: 'Plan',
      outcome: 'completed',
      artifacts: [],
      returned: {},
      usage: usage(5),
      usageBefore: usage(0),
      turns: 2,
    });
    expect(usageOf(view).turns).toBe(3);
    expect(usageOf(view).usage).toEqual({ promptTokens: 115, completionTokens: 3, cachedTokens: 0 });
  });
});
