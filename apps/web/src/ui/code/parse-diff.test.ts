import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DIFF } from '../../testing/made-events.ts';
import { parseDiff } from './parse-diff.ts';

describe('a diff', () => {
  it('[U9] becomes lines with their numbers on both sides', () => {
    const { lines, added, removed } = parseDiff(DIFF);
    expect([added, removed]).toEqual([4, 2]);
    expect(lines.map(({ kind, before, after }) => [kind, before, after]).slice(0, 6)).toEqual([
      ['same', 1, 1],
      ['same', 2, 2],
      ['removed', 3, undefined],
      ['added', undefined, 3],
      ['same', 4, 4],
      ['same', 5, 5],
    ]);
  });

  it('[T194] of several files names each of them, also if a line looks like a header', () => {
    const { lines, added, removed } = parseDiff(
      '--- @project/a\n+++ @project/a\n@@ -1 +1 @@\n--- x\n+++ y\n===\n--- /dev/null\n+++ @project/b\n@@ -0,0 +1 @@\n+new\n',
    );
    expect([added, removed]).toEqual([2, 1]);
    expect(lines.map(({ kind, text }) => [kind, text])).toEqual([
      ['note', '@project/a'],
      ['removed', '-- x'],
      ['added', '++ y'],
      ['note', '@project/b'],
      ['added', 'new'],
    ]);
  });

  it('[U9] has a gap marker between two hunks, and none for a single hunk', () => {
    const { lines } = parseDiff('@@ -1,2 +1,1 @@\n one\n-two\n@@ -40 +39 @@ some heading\n-old\n+new');
    expect(lines.map(({ kind, text }) => [kind, text])).toEqual([
      ['same', 'one'],
      ['removed', 'two'],
      ['hunk', '…'],
      ['removed', 'old'],
      ['added', 'new'],
    ]);
  });

  it('[U9] keeps a line that only looks like a header', () => {
    const { lines } = parseDiff('--- a\n+++ b\n@@ -1,2 +1,1 @@\n--- not a header\n same');
    expect(lines.map(({ kind, text }) => [kind, text])).toContainEqual(['removed', '-- not a header']);
  });

  it('[U9] that is not a diff is shown as plain lines, whatever it contains', () => {
    fc.assert(fc.property(fc.string(), (text) => parseDiff(text).lines.length <= text.split('\n').length));
  });

  it('[U131] that is not a diff, or is cut off, is marked as partial', () => {
    expect(parseDiff(DIFF).isPartial).toBeUndefined();
    expect(parseDiff('@project/big.bin: 12 bytes → 30 bytes\n').isPartial).toBe(true);
    const cut = parseDiff(`${DIFF.slice(0, -20)}\n… (40000 characters in total)\n`);
    expect(cut.isPartial).toBe(true);
    expect(cut.lines.at(-1)).toMatchObject({ kind: 'note', text: '… (40000 characters in total)' });
  });
});
