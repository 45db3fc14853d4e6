import { expect, it } from 'vitest';
import type { ListedWork } from './to-works.ts';
import { filterWorks, groupByDay } from './to-works.ts';

const now = new Date(2026, 0, 31, 9);
const listed = (title: string, hours: number, phase: ListedWork['phase']) =>
  ({
    title,
    phase,
    work: { updatedAt: new Date(now.getTime() - hours * 3_600_000).toISOString() },
  }) as ListedWork;
const WORKS = [
  listed('a', 1, 'Running'),
  listed('b', 8, 'WaitingUser'),
  listed('c', 20, 'Completed'),
  listed('d', 60, 'CutOff'),
];

it('[U291] groups Works by day', () => {
  const groups = groupByDay(WORKS, now).map(({ group, works }) => [
    group,
    works.map(({ title }) => title).join(''),
  ]);
  expect(groups).toEqual([
    ['today', 'ab'],
    ['yesterday', 'c'],
    ['earlier', 'd'],
  ]);
  expect(groupByDay([], now)).toEqual([]);
});

it.each([
  ['all', 'abcd'],
  ['waiting', 'bd'],
  ['running', 'a'],
  ['done', 'c'],
] as const)('[U291] filters Works: %s', (filter, titles) => {
  expect(
    filterWorks(WORKS, filter)
      .map(({ title }) => title)
      .join(''),
  ).toBe(titles);
});
