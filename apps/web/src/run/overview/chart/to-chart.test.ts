import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import { addToStory, foldStory } from '@crewagent/protocol/story/fold-story';
import { createStory, type Story } from '@crewagent/protocol/story/story';
import { describe, expect, it } from 'vitest';
import { type Chart, lengthOf, toAxis, toChart } from './to-chart.ts';

const START = Date.UTC(2026, 0, 31, 9, 30);

type Timed = readonly (readonly [second: number, fact: RunFact])[];

function toLog(runId: string, facts: Timed): RunEvent[] {
  return facts.map(([second, fact], index) => {
    const ts = new Date(START + second * 1_000).toISOString();
    return { v: 1, seq: index + 1, ts, runId, ...fact } as RunEvent;
  });
}

const created = (...ids: readonly string[]): RunFact => ({
  type: 'run.created',
  package: { name: 'p', version: '1.0.0', hash: 'h' },
  workflow: { ref: 'w.md', title: 'Plan' },
  nodes: ids.map((id) => ({ id, title: `Step ${id}`, type: 'step' })),
  entryNodeId: ids[0] ?? '',
  activeAgentId: 'a',
  model: { kind: 'rehearsal' },
  variables: {},
});
const turn = (nodeId: string): RunFact => ({
  ...{ type: 'turn.started', turn: 1, nodeId, requestBytes: 1, estimatedTokens: 1 },
});
const reply: RunFact = { type: 'message.completed', role: 'assistant', purpose: 'reply', content: 'Ready.' };
const phase = (name: 'Running' | 'WaitingUser' | 'Completed', code?: 'reply'): RunFact => ({
  ...{ type: 'phase.changed', phase: name },
  ...(code ? { reason: { code, message: '' } } : {}),
});

/** Two visits of `a` around one of `b`, with a wait in the first. */
const LOOP = toLog('r', [
  [0, created('a', 'b')],
  [0, turn('a')],
  [10, reply],
  [10, phase('WaitingUser', 'reply')],
  [70, phase('Running')],
  [70, turn('b')],
  [75, reply],
  [75, turn('a')],
  [90, reply],
  [90, phase('Completed')],
]);

const chartOf = (view: Readonly<Story>, runs: readonly Story[] = [], hasWaiting = true): Chart =>
  toChart(view, { runs: new Map(runs.map((run) => [run.runId, run])), hasWaiting });

const toBars = ({ rows }: Chart) =>
  rows.map(({ title, bars }) => [
    title,
    ...bars.map(({ startMs, parts }) => [startMs / 1_000, lengthOf(parts, true) / 1_000]),
  ]);

describe('the chart of a run', () => {
  it('[U541] has one row per node, and a bar for each visit where the one before it ends', () => {
    const chart = chartOf(foldStory('r', LOOP));
    expect(toBars(chart)).toEqual([
      ['Step a', [0, 70], [75, 15]],
      ['Step b', [70, 5]],
    ]);
    expect(chart.lengthMs).toBe(90_000);
    expect(chart.growing).toBeUndefined();
  });

  it('[U541] can leave out waiting', () => {
    const chart = chartOf(foldStory('r', LOOP), [], false);
    expect(chart.rows.map(({ bars }) => bars.map(({ startMs }) => startMs / 1_000))).toEqual([[0, 15], [10]]);
    expect(chart.lengthMs).toBe(30_000);
  });

  it('[U541] is the same live and after a reload, at every event', () => {
    const live = createStory('r');
    for (const [index, event] of LOOP.entries()) {
      addToStory(live, event);
      const reloaded = JSON.parse(JSON.stringify(foldStory('r', LOOP.slice(0, index + 1)))) as Story;
      expect(JSON.stringify(chartOf(live))).toBe(JSON.stringify(chartOf(reloaded)));
    }
  });

  it('[U541] grows with what the run does now', () => {
    const kinds = [2, 4, 10].map((count) => chartOf(foldStory('r', LOOP.slice(0, count))).growing?.part);
    expect(kinds).toEqual(['model', 'waiting', undefined]);
  });

  it('[U541] shows the steps of called workflows below the step that called them, within its time', () => {
    const call = (childId: string): RunFact => ({
      ...{ type: 'call.started', nodeId: 'a', childId, workflow: { ref: 'k.md', title: 'Kitchen' } },
    });
    const child = (runId: string, at: number): Story =>
      foldStory(
        runId,
        toLog(runId, [
          [at, created('c', 'd')],
          [at, turn('c')],
          [at + 4, reply],
          [at + 4, turn('d')],
          [at + 10, reply],
          [at + 10, phase('Completed')],
        ]),
      );
    const usage = { promptTokens: 9, completionTokens: 1, cachedTokens: 0 };
    const ended = (childId: string): RunFact => ({
      ...{ type: 'call.ended', nodeId: 'a', childId, outcome: 'completed', title: 'Kitchen' },
      ...{ artifacts: [], returned: {}, usage, usageBefore: usage },
    });
    const view = foldStory(
      'r',
      toLog('r', [
        [0, created('a', 'b')],
        [0, call('k1')],
        [10, ended('k1')],
        [10, turn('b')],
        [12, reply],
        [12, call('k2')],
        [22, ended('k2')],
        [22, phase('Completed')],
      ]),
    );
    const chart = chartOf(view, [child('k1', 0), child('k2', 12)]);
    expect(toBars(chart)).toEqual([
      ['Step a', [0, 10], [12, 10]],
      ['Step c', [0, 4], [12, 4]],
      ['Step d', [4, 6], [16, 6]],
      ['Step b', [10, 2]],
    ]);
    expect(chart.rows.map(({ depth }) => depth)).toEqual([0, 1, 1, 0]);
    expect(chart.rows[0]?.usage).toMatchObject({ promptTokens: 18 });
  });

  it('[U541] has at most some hundred bars in a row, with all their time', () => {
    const facts: Timed = Array.from({ length: 2_000 }, (_, index) => [index, turn(index % 2 ? 'a' : 'b')]);
    const { rows } = chartOf(foldStory('r', toLog('r', [[0, created('a', 'b')], ...facts])));
    expect(rows.map(({ visits }) => visits)).toEqual([1_000, 1_000]);
    expect(Math.max(...rows.map(({ bars }) => bars.length))).toBeLessThanOrEqual(120);
    const sum = rows.flatMap(({ bars }) => bars).reduce((all, { parts }) => all + lengthOf(parts, true), 0);
    expect(sum).toBe(1_999_000);
  });

  it.each([
    [900, 1_000, 200],
    [95_000, 120_000, 30_000],
    [4_000_000, 4_500_000, 900_000],
    [400_000_000, 432_000_000, 86_400_000],
  ])('[U541] has an axis in round numbers: %i ms', (lengthMs, endMs, tickMs) => {
    expect(toAxis(lengthMs)).toEqual({ endMs, tickMs });
  });
});
