import { describe, expect, it } from 'vitest';
import { inGroups } from './palette-frame.tsx';

const command = (id: string, group: string) => ({ id, group, title: id, run: () => undefined });

describe('commands in groups', () => {
  const all = [
    command('keys', 'View'),
    command('start', 'Go'),
    command('run', 'View'),
    command('new', 'Here'),
  ];

  it('are adjacent, each group once', () => {
    expect(inGroups(all).map(({ id }) => id)).toEqual(['keys', 'run', 'start', 'new']);
  });

  it('start with the leading group', () => {
    expect(inGroups(all, { first: 'Here' }).map(({ id }) => id)).toEqual(['new', 'keys', 'run', 'start']);
  });

  it('[U96] end with the last group, whenever it was added', () => {
    expect(inGroups(all, { last: 'View' }).map(({ id }) => id)).toEqual(['start', 'new', 'keys', 'run']);
  });
});
