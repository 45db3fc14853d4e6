import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines } from './diff-lines.ts';

describe('a line diff', () => {
  it('shows removed and added lines, with line numbers on both sides', () => {
    const { lines, added, removed } = diffLines('a\nb\nc\n', 'a\nB\nc\nd\n');
    expect(lines.map(({ kind, text, before, after }) => [kind, text, before, after])).toEqual([
      ['same', 'a', 1, 1],
      ['removed', 'b', 2, undefined],
      ['added', 'B', undefined, 2],
      ['same', 'c', 3, 3],
      ['added', 'd', undefined, 4],
      ['same', '', 4, 5],
    ]);
    expect([added, removed]).toEqual([2, 1]);
  });

  it('has a gap marker in place of lines that are far from any change', () => {
    const many = Array.from({ length: 50 }, (_, index) => `line ${index}`);
    const { lines } = diffLines(many.join('\n'), many.with(25, 'other').join('\n'));
    expect(lines.map(({ kind }) => kind)).toEqual([
      'hunk',
      ...['same', 'same', 'same'],
      ...['removed', 'added'],
      ...['same', 'same', 'same'],
      'hunk',
    ]);
  });

  it('contains both texts line by line, whatever they are', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 7 })
      .map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { lines } = diffLines(before, after);
        fc.pre(before !== after);
        const of = (...kinds: readonly string[]): string[] =>
          lines.filter(({ kind }) => kinds.includes(kind)).map((line) => line.text);
        // Texts this short are complete, unless a line is more than three lines away from a change.
        if (lines.some(({ kind }) => kind === 'hunk')) return;
        expect(of('same', 'removed').join('\n')).toBe(before);
        expect(of('same', 'added').join('\n')).toBe(after);
      }),
    );
  });

  it('of texts with nothing in common contains all lines, without a long search', () => {
    const lines = (name: string): string =>
      Array.from({ length: 4_000 }, (_, index) => `${name} ${index}`).join('\n');
    expect(diffLines(lines('a'), lines('b'))).toMatchObject({ added: 4_000, removed: 4_000 });
  });
});
