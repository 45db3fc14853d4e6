import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DIFF } from '../testing/made-events.ts';
import { parseDiff, toAddedLines } from './parse-diff.ts';

describe('a diff', () => {
  it('[U9] becomes lines with their numbers on both sides', () => {
    const { lines, added, removed } = parseDiff(DIFF);
    expect([added, removed]).toEqual([4, 2]);
    expect(lines.map(({ kind, before, after }) => [kind, before, after]).slice(0, 6)).toEqual([
      ['hunk', undefined, undefined],
      ['same', 1, 1],
      ['same', 2, 2],
      ['removed', 3, undefined],
      ['added', undefined, 3],
      ['same', 4, 4],
    ]);
  });

  it('[U9] keeps a line that only looks like a header', () => {
    const { lines } = parseDiff('--- a\n+++ b\n@@ -1,2 +1,1 @@\n--- not a header\n same');
    expect(lines.map(({ kind, text }) => [kind, text])).toContainEqual(['removed', '-- not a header']);
  });

  it('[U9] that is none is shown as it is, whatever it is', () => {
    fc.assert(fc.property(fc.string(), (text) => parseDiff(text).lines.length <= text.split('\n').length));
    expect(toAddedLines('a\nb\n').added).toBe(2);
  });
});
