import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent, RunFact } from '../events.ts';
import { foldStory } from './fold-story.ts';
import { durationOf, type NodeVisit, workOf } from './node-visits.ts';

const START = Date.UTC(2026, 0, 31, 9, 30);

/** Events of a run, each with the second in which it happened. */
function visitsOf(facts: readonly (readonly [second: number, fact: RunFact])[]): readonly NodeVisit[] {
  const events = facts.map(([second, fact], index) => {
    const ts = new Date(START + second * 1_000).toISOString();
    return { v: 1, seq: index + 1, ts, runId: 'r', ...fact } as RunEvent;
  });
  return foldStory('r', events).visits;
}

const turn = (nodeId: string): RunFact => ({
  ...{ type: 'turn.started', turn: 1, nodeId, requestBytes: 1, estimatedTokens: 1 },
});
const call = { id: 'c', name: 'fs.write', arguments: '{}' };
const reply = (...toolCalls: (typeof call)[]): RunFact => ({
  ...{ type: 'message.completed', role: 'assistant', purpose: 'reply', content: 'Ready.', toolCalls },
});
const ended = (path: string, isInterrupted?: true): RunFact => ({
  ...{ type: 'tool.ended', callId: 'c', name: 'fs.write', outcome: 'ok', durationMs: 1, content: '{}' },
  ...{ effect: { kind: 'written', path }, isInterrupted },
});
const phase = (name: 'Running' | 'WaitingUser' | 'Completed', code?: 'approval' | 'stopped'): RunFact => ({
  ...{ type: 'phase.changed', phase: name },
  ...(code ? { reason: { code, message: '' } } : {}),
});
const moved: RunFact = {
  ...{ type: 'state.changed', from: 'one', to: 'two', variables: {}, stepsAdded: [], decisionsAdded: [] },
  ...{ notes: [], sha256: '' },
};
const usage = { promptTokens: 900, completionTokens: 100, cachedTokens: 0 };
const seconds = ({ spentMs }: NodeVisit): Record<string, number> =>
  Object.fromEntries(Object.entries(spentMs).map(([part, ms]) => [part, ms / 1_000]));

describe('the time of a visit', () => {
  it('[U541] is divided into the model, tools and waiting, and ends when the next visit begins', () => {
    const [first, second] = visitsOf([
      [0, turn('one')],
      [20, reply(call)],
      [21, phase('WaitingUser', 'approval')],
      [81, phase('Running')],
      [85, ended('@project/plan.md')],
      [85, moved],
      [86, turn('two')],
      [90, reply()],
      [90, phase('Completed')],
    ]);
    expect(seconds(first as NodeVisit)).toEqual({ model: 20, tools: 6, called: 0, waiting: 60, stopped: 0 });
    expect(durationOf(first as NodeVisit)).toBe(86_000);
    expect(workOf(first as NodeVisit)).toBe(26_000);
    expect(first?.files).toEqual(['@project/plan.md']);
    expect(seconds(second as NodeVisit)).toEqual({ model: 4, tools: 0, called: 0, waiting: 0, stopped: 0 });
  });

  it('[W14] does not count the time until the run was forked', () => {
    const forked: RunFact = {
      ...{ type: 'work.forked', from: 'o', nodeId: 'one', visit: 1, afterSeq: 3, sha256: '', ids: {} },
    };
    const [first] = visitsOf([
      [0, turn('one')],
      [20, reply(call)],
      [25, ended('@project/plan.md')],
      [4_000, forked],
      [4_100, { type: 'run.resumed', nodeId: 'one' }],
      [4_101, turn('one')],
      [4_111, reply()],
    ]);
    expect(seconds(first as NodeVisit)).toMatchObject({ model: 30, tools: 6, waiting: 0, stopped: 4_075 });
  });

  it('[U541] does not count as work while the run is stopped or its process is gone', () => {
    const [stopped] = visitsOf([
      [0, turn('one')],
      [10, phase('WaitingUser', 'stopped')],
      [3_600, { type: 'run.resumed', nodeId: 'one' }],
      [3_600, phase('Running')],
      [3_601, turn('one')],
      [3_605, reply()],
    ]);
    expect(seconds(stopped as NodeVisit)).toMatchObject({ model: 15, stopped: 3_590 });
    const [killed] = visitsOf([
      [0, turn('one')],
      [5, reply(call)],
      [3_600, ended('@project/plan.md', true)],
      [3_601, { type: 'run.resumed', nodeId: 'one' }],
    ]);
    expect(seconds(killed as NodeVisit)).toMatchObject({ model: 5, tools: 0, stopped: 3_596 });
  });

  it('[U541] belongs to the called workflow while one runs, with its usage and files', () => {
    const [caller] = visitsOf([
      [0, { type: 'call.started', nodeId: 'one', childId: 'k', workflow: { ref: 'k.md', title: 'Kitchen' } }],
      [
        30,
        {
          ...{ type: 'call.ended', nodeId: 'one', childId: 'k', outcome: 'completed', title: 'Kitchen' },
          ...{ artifacts: [], written: ['@project/menu.md'], returned: {}, usage, usageBefore: usage },
        },
      ],
    ]);
    expect(caller).toMatchObject({ calledId: 'k', turns: 0, usage, files: ['@project/menu.md'] });
    expect(seconds(caller as NodeVisit)).toMatchObject({ called: 30, model: 0 });
  });

  it('[U541] is the sum of its parts, whatever happened', () => {
    const facts = [
      turn('one'),
      turn('two'),
      reply(),
      reply(call),
      ended('@project/a.md'),
      ended('@project/b.md', true),
      phase('Running'),
      phase('WaitingUser', 'approval'),
      phase('WaitingUser', 'stopped'),
      phase('Completed'),
      moved,
      { ...moved, isRewind: true } as RunFact,
      { type: 'run.resumed' } as RunFact,
    ];
    fc.assert(
      // A clock may also go back.
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 99 }), fc.constantFrom(...facts))), (log) => {
        for (const visit of visitsOf(log)) {
          const { startedAt, lastAt, spentMs } = visit;
          const sum = durationOf(visit) + spentMs.stopped;
          expect(sum).toBe(Date.parse(lastAt) - Date.parse(startedAt));
        }
      }),
    );
  });
});
