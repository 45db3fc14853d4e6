import { describe, expect, it } from 'vitest';
import { parseDiff, toDiffRows } from './parse-diff.ts';
import { isPair, toDiffPairs } from './to-diff-pairs.ts';

function sides(diff: string): readonly unknown[] {
  return toDiffPairs(toDiffRows(parseDiff(diff))).map((row) =>
    isPair(row) ? [row.before?.text, row.after?.text] : row.kind,
  );
}

describe('a diff side by side', () => {
  it('[U50] puts each new line beside the one it replaces', () => {
    expect(sides('--- a\n+++ a\n@@ -1,4 +1,4 @@\n one\n-two\n-three\n+2\n+3\n+4\n five\n')).toEqual([
      ['one', 'one'],
      ['two', '2'],
      ['three', '3'],
      [undefined, '4'],
      ['five', 'five'],
    ]);
  });

  it('[U50] keeps separate changes and the gap between hunks apart', () => {
    expect(sides('--- a\n+++ a\n@@ -1,1 +1,1 @@\n-a\n+b\n-c\n@@ -9,1 +9,1 @@\n-x\n+y\n')).toEqual([
      ['a', 'b'],
      ['c', undefined],
      'hunk',
      ['x', 'y'],
    ]);
  });
});
