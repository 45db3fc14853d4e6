import type { WorkList } from '@crewagent/protocol/api/work-messages';
import type { RunPhase } from '@crewagent/protocol/run';
import { describe, expect, it } from 'vitest';
import { filterWorks, findWorks, groupByDay, type ListedWork, toWorks } from './to-works.ts';

const conversation = (id: string, updatedAt: string, projectId = 'p') => ({
  workId: id,
  projectId,
  title: `Title ${id}`,
  kind: 'agent' as const,
  phase: 'WaitingUser' as const,
  createdAt: updatedAt,
  updatedAt,
});

const run = (workId: string, updatedAt: string, parentId?: string) => ({
  ...conversation(workId, updatedAt),
  title: `Workflow ${workId}`,
  kind: 'workflow' as const,
  phase: 'Failed' as const,
  run: {
    package: { name: 'pantry', version: '1.0.0', hash: 'h' },
    workflow: { ref: 'workflow.md', title: `Workflow ${workId}` },
    activeAgentId: 'a',
    model: { kind: 'rehearsal' as const },
  },
  ...(parentId === undefined ? {} : { parentId }),
});

const list: WorkList = {
  works: [
    run('r2', '2026-01-05', 'c1'),
    run('r3', '2026-01-05', 'r1'),
    conversation('c2', '2026-01-04', 'other'),
    run('r1', '2026-01-03'),
    conversation('c1', '2026-01-02'),
  ],
  damaged: [],
};

describe('works', () => {
  it('[U40] are conversations and runs without one, most recent first', () => {
    const works = toWorks(list, 'p', ({ title }) => title);
    expect(works.map(({ work, kind }) => [work.workId, kind])).toEqual([
      ['r1', 'run'],
      ['c1', 'agent'],
    ]);
  });

  it('[U40] are found by words of their title and kind', () => {
    const works = toWorks(list, 'p', ({ title }) => title);
    const found = (text: string): readonly string[] =>
      findWorks(works, text, (kind) => (kind === 'run' ? 'Run' : 'Agent')).map(({ work }) => work.workId);
    expect(found('')).toEqual(['r1', 'c1']);
    expect(found('WORK run')).toEqual(['r1']);
    expect(found('title agent')).toEqual(['c1']);
    expect(found('nothing like it')).toEqual([]);
  });
});

const now = new Date(2026, 0, 31, 9);
const listed = (title: string, hours: number, phase: RunPhase, code?: string) =>
  ({
    title,
    work: {
      updatedAt: new Date(now.getTime() - hours * 3_600_000).toISOString(),
      phase,
      ...(code === undefined ? {} : { reason: { code, message: '' } }),
    },
  }) as ListedWork;
const WORKS = [
  listed('a', 1, 'Running'),
  listed('b', 8, 'WaitingUser', 'question'),
  listed('c', 20, 'Completed'),
  listed('d', 60, 'WaitingUser', 'interrupted'),
  listed('e', 70, 'WaitingUser', 'LLM_AUTH_FAILED'),
  listed('f', 80, 'WaitingUser', 'reply'),
  listed('g', 90, 'WaitingUser', 'stopped'),
];

it('[U40] groups Works by day', () => {
  const groups = groupByDay(WORKS, now).map(({ group, works }) => [
    group,
    works.map(({ title }) => title).join(''),
  ]);
  expect(groups).toEqual([
    ['today', 'ab'],
    ['yesterday', 'c'],
    ['earlier', 'defg'],
  ]);
  expect(groupByDay([], now)).toEqual([]);
});

it.each([
  ['all', 'abcdefg'],
  ['waiting', 'bde'],
  ['running', 'a'],
  ['stopped', 'g'],
  ['done', 'c'],
] as const)('[U40] filters Works: %s', (filter, titles) => {
  expect(
    filterWorks(WORKS, filter)
      .map(({ title }) => title)
      .join(''),
  ).toBe(titles);
});
