import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DIFF } from '../../testing/made-events.ts';
import { parseDiff } from './parse-diff.ts';

describe('a diff', () => {
  it('becomes lines with their numbers on both sides', () => {
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
      '--- @project/a\n+++ @project/a\n@@ -1 +1 @@\n--- x\n+++ y\n--- /dev/null\n+++ @project/b\n@@ -0,0 +1 @@\n+new\n',
    );
    expect([added, removed]).toEqual([2, 1]);
    expect(lines.map(({ kind, text }) => [kind, text])).toEqual([
      ['file', '@project/a'],
      ['removed', '-- x'],
      ['added', '++ y'],
      ['file', '@project/b'],
      ['added', 'new'],
    ]);
  });

  it('has a gap marker between two hunks, and none for a single hunk', () => {
    const { lines } = parseDiff('@@ -1,2 +1,1 @@\n one\n-two\n@@ -40 +39 @@ some heading\n-old\n+new');
    expect(lines.map(({ kind, text }) => [kind, text])).toEqual([
      ['same', 'one'],
      ['removed', 'two'],
      ['hunk', '…'],
      ['note', 'some heading'],
      ['removed', 'old'],
      ['added', 'new'],
    ]);
  });

  it('keeps a line that only looks like a header', () => {
    const { lines } = parseDiff('--- a\n+++ b\n@@ -1,2 +1,1 @@\n--- not a header\n same');
    expect(lines.map(({ kind, text }) => [kind, text])).toContainEqual(['removed', '-- not a header']);
  });

  it('[U500] of several files names each of them, and the one file unless it stands beside it', () => {
    const one = '--- @project/a\n+++ @project/a\n@@ -1 +1 @@\n-old\n+--- not a header\n';
    const other = 'Index: @project/b\n===\n--- /dev/null\n+++ @project/b\n@@ -0,0 +1 @@\n+new\n';
    const names = (text: string, path?: string) =>
      parseDiff(text, path).lines.flatMap(({ kind, text: name }) => (kind === 'file' ? [name] : []));
    expect(names(one + other)).toEqual(['@project/a', '@project/b']);
    expect(names(one, '@project/a')).toEqual([]);
    expect(names(one, '@project/elsewhere')).toEqual(['@project/a']);
    expect(parseDiff(one + other)).toMatchObject({ added: 2, removed: 1 });
  });

  it('[U500] has every line of its text, except for headers with nothing else in them', () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '--- a',
        '+++ a',
        '@@ -1 +1 @@',
        'Index: curl',
        '===',
        ' same',
        '+new',
        '-old',
        '\\ No',
        '',
      ),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const shown = parseDiff(lines.join('\n')).lines.map(({ text }) => text);
        for (const word of lines.join('\n').match(/\w{2,}/g) ?? [])
          if (!/^(?:Index|curl)$/.test(word)) expect(shown.join('\n')).toContain(word);
      }),
      { numRuns: 300 },
    );
  });

  it('that is not a diff is shown as plain lines, whatever it contains', () => {
    fc.assert(fc.property(fc.string(), (text) => parseDiff(text).lines.length <= text.split('\n').length));
  });

  it('[U16] that is not a diff, or is cut off, is marked as partial', () => {
    expect(parseDiff(DIFF).isPartial).toBeUndefined();
    expect(parseDiff('@project/big.bin: 12 bytes → 30 bytes\n').isPartial).toBe(true);
    const cut = parseDiff(`${DIFF.slice(0, -20)}\n… (40000 characters in total)\n`);
    expect([cut.isPartial, cut.isCut]).toEqual([true, true]);
    expect(parseDiff('@project/big.bin: 12 bytes → 30 bytes\n').isCut).toBe(true);
    expect(parseDiff('@project/tool becomes executable\n').isCut).toBeUndefined();
    expect(cut.lines.at(-1)).toMatchObject({ kind: 'note', text: '… (40000 characters in total)' });
  });
});
