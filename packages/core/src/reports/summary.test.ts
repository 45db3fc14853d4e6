import { NO_USAGE, type RunModel } from '@crewagent/protocol/model';
import type { StoryItem } from '@crewagent/protocol/story/items';
import { beginVisit } from '@crewagent/protocol/story/node-visits';
import { createStory } from '@crewagent/protocol/story/story';
import { describe, expect, it } from 'vitest';
import { describeCost, standingChangesIn, toSummary } from './summary.ts';
import { wordsOf } from './words.ts';

const at = { seq: 1, ts: '2026-01-01T09:30:00.000Z' };

function write(callId: string, path: string, nodeId = 'n1'): StoryItem {
  const effect = { kind: 'written', path } as const;
  const rest = { code: undefined, message: undefined, durationMs: 1, answer: '', arguments: '{}' };
  return { ...at, kind: 'tool', callId, name: 'fs.write', path, status: 'ok', effect, nodeId, ...rest };
}

type Undone = Extract<StoryItem, { kind: 'undone' }>;

const undone = (
  selection: Undone['selection'],
  files: Undone['files'],
  direction: Undone['direction'] = 'undo',
): StoryItem => ({ ...at, kind: 'undone', direction, selection, files });

const callsIn = (timeline: readonly StoryItem[]): string[] =>
  standingChangesIn(timeline).changes.map(({ item }) => item.callId);

const WRITTEN = [
  write('c1', '@project/a.md'),
  write('c2', '@project/b.md'),
  write('c3', '@project/b.md', 'n2'),
];
const restored = [{ path: '@project/b.md', outcome: 'restored' } as const];

it('the time is that of the work: neither of the person, nor of what was undone a day later', () => {
  const visit = beginVisit('n1', 1, at.ts);
  const spentMs = { ...visit.spentMs, model: 240_000, tools: 60_000, waiting: 600_000 };
  const view = {
    ...createStory('r'),
    visits: [{ ...visit, spentMs }],
    createdAt: at.ts,
    updatedAt: '2026-01-02T09:30:00.000Z',
  };
  expect(toSummary(view, wordsOf('en')).numbers).toEqual(
    expect.arrayContaining([
      { name: 'Time', value: '5 min' },
      { name: 'Waited for answers', value: '10 min' },
    ]),
  );
});

it('files that a called run changed are counted with those of its caller, each once', () => {
  const view = { ...createStory('r'), timeline: [write('c1', '@project/a.md')] };
  const child = {
    ...createStory('child'),
    timeline: [write('c2', '@project/a.md'), write('c3', '@project/b.md')],
  };
  const numbers = toSummary(view, wordsOf('en'), [child]).numbers;
  expect(numbers).toContainEqual({ name: 'Files changed', value: '2' });
});

describe('changes that stand', () => {
  it.each<[string, StoryItem[], string[]]>([
    ['nothing', [], ['c1', 'c2', 'c3']],
    ['one call', [undone({ callId: 'c3' }, restored)], ['c1', 'c2']],
    ['one node', [undone({ nodeId: 'n2' }, restored)], ['c1', 'c2']],
    ['from a change on', [undone({ fromChange: 2 }, restored)], ['c1']],
    ['all', [undone({ all: true }, [{ path: '@project/a.md', outcome: 'deleted' }, ...restored])], []],
    [
      'a conflict',
      [undone({ all: true }, [{ path: '@project/a.md', outcome: 'conflict' }])],
      ['c1', 'c2', 'c3'],
    ],
    [
      'all, redone',
      [undone({ all: true }, restored), undone({ all: true }, restored, 'redo')],
      ['c1', 'c2', 'c3'],
    ],
    ['all, written again', [undone({ all: true }, restored), write('c4', '@project/b.md')], ['c1', 'c4']],
  ])('are those that nobody undid: %s', (_, later, calls) => {
    expect(callsIn([...WRITTEN, ...later])).toEqual(calls);
  });

  it('a file that an undo deleted is gone until it is written again', () => {
    const gone = [...WRITTEN, undone({ callId: 'c1' }, [{ path: '@project/a.md', outcome: 'deleted' }])];
    expect([...standingChangesIn(gone).deleted]).toEqual(['@project/a.md']);
    expect([...standingChangesIn([...gone, write('c4', '@project/a.md')]).deleted]).toEqual([]);
  });
});

describe('the cost of a run', () => {
  it('[X20] is said for a provider, also if its price is unknown, and not for a rehearsal', () => {
    const provider = { kind: 'provider' } as RunModel;
    const costOf = (costUsd: number | undefined, model?: RunModel) =>
      describeCost({ ...NO_USAGE, costUsd }, model, wordsOf('zh-CN'));
    expect(costOf(0.004, provider)).toBe('$0.0040');
    expect(costOf(1.5, provider)).toBe('$1.50');
    expect(costOf(undefined, provider)).toBe('价格未知');
    expect(costOf(0, { kind: 'rehearsal' })).toBeUndefined();
  });
});
