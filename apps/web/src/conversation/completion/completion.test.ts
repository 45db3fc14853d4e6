import { describe, expect, it } from 'vitest';
import { toMention } from '../../run/attachments/mention.ts';
import { complete, findCompletion, putInto, toShortPath } from './completion.ts';

describe('completion', () => {
  it.each([
    ['/', 1, { kind: 'command', query: '', start: 0, end: 1 }],
    ['/re', 3, { kind: 'command', query: 're', start: 0, end: 3 }],
    ['see @docs/pl', 12, { kind: 'file', query: 'docs/pl', start: 4, end: 12 }],
    ['@', 1, { kind: 'file', query: '', start: 0, end: 1 }],
    ['@project/@types/x', 17, { kind: 'file', query: 'project/@types/x', start: 0, end: 17 }],
    ['mail a@b.c', 10, undefined],
    ['1 /re', 5, undefined],
    ['/re sume', 8, undefined],
    ['@a b', 4, undefined],
  ] as const)('[U10] in %j at %i', (text, cursor, expected) => {
    expect(findCompletion(text, cursor)).toEqual(expected);
  });

  it('[U10] inserts the chosen file at the cursor', () => {
    const query = findCompletion('see @pl now', 7);
    expect(query && complete('see @pl now', query, '@project/docs/plan.md')).toEqual({
      text: 'see @project/docs/plan.md now',
      cursor: 26,
    });
  });

  it('[U10] inserts a file of the package or the run with its mount', () => {
    const query = findCompletion('read @pk', 8);
    expect(query && complete('read @pk', query, '@pkg/')).toEqual({ text: 'read @pkg/', cursor: 10 });
    const next = findCompletion('read @state/w', 13);
    expect(next && complete('read @state/w', next, '@state/workflow.md')).toEqual({
      text: 'read @state/workflow.md ',
      cursor: 24,
    });
  });

  it('[U10] does not mistake a project path for a mount', () => {
    const query = findCompletion('see @no', 7);
    expect(query && complete('see @no', query, '@project/@notes.md').text).toBe('see @project/@notes.md ');
    expect(['@project/docs/a.md', '@project/@pkg/', '@pkg/'].map(toShortPath)).toEqual([
      'docs/a.md',
      '@project/@pkg/',
      '@pkg/',
    ]);
  });

  it.each([
    ['a `b`.md', '``@project/a `b`.md``'],
    ['a ``b.md', '```@project/a ``b.md```'],
    ['a `b`', '`` @project/a `b` ``'],
    ['a`b.md', '@project/a`b.md'],
  ])('[U10] mentions %j unambiguously', (name, mention) => {
    expect(toMention(`@project/${name}`)).toBe(mention);
  });

  it('[U10] mentions a path with a visible end, separated from the text around it', () => {
    expect(toMention('@project/my notes.md')).toBe('`@project/my notes.md`');
    expect(putInto('compare', { start: 7, end: 7 }, '@project/a.md')).toEqual({
      text: 'compare @project/a.md ',
      cursor: 22,
    });
    expect(putInto('in  now', { start: 3, end: 3 }, '@project/docs/')).toEqual({
      text: 'in @project/docs/ now',
      cursor: 17,
    });
  });
});
