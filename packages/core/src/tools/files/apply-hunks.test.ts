import { createTwoFilesPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdits } from './apply-edits.ts';
import { parseDiff } from './parse-diff.ts';

/** The text after a diff, or why it was rejected. */
function patch(text: string | Buffer, diff: string): { text?: string; reason?: string } {
  const [file, ...others] = parseDiff(diff);
  if (!file || others.length > 0) return { reason: `${others.length + (file ? 1 : 0)} files` };
  const edited = applyEdits(Buffer.from(text), [{ operation: 'diff', hunks: file.hunks }], 4_000_000);
  return edited.ok ? { text: Buffer.from(edited.bytes).toString() } : { reason: edited.reason };
}

const TWELVE = Array.from({ length: 12 }, (_, index) => `line ${index + 1}\n`).join('');

describe('a hunk', () => {
  it.each([
    ['without context, at its line', 'a\nb\na\nb\n', '@@ -3 +3 @@\n-a\n+X\n', 'a\nb\nX\nb\n'],
    ['at another line than it names', TWELVE, '@@ -9 +9 @@\n-line 3\n+X\n', TWELVE.replace('line 3', 'X')],
    ['without line numbers', TWELVE, '@@ @@\n-line 12\n+X\n', TWELVE.replace('line 12', 'X')],
    ['after a line', 'a\nb\n', '@@ -1,0 +2,2 @@\n+x\n+y\n', 'a\nx\ny\nb\n'],
    ['before the first line', 'a\nb\n', '@@ -0,0 +1 @@\n+x\n', 'x\na\nb\n'],
    ['after the last line', 'a\nb\n', '@@ -2,0 +3 @@\n+x\n', 'a\nb\nx\n'],
    ['of an empty file', '', '@@ -0,0 +1,2 @@\n+x\n+y\n', 'x\ny\n'],
    ['that removes everything', 'a\n', '@@ -1 +0,0 @@\n-a\n', ''],
    ['after a last line that has no ending', 'a\nb', '@@ -1,2 +1,3 @@\n a\n b\n+c\n', 'a\nb\nc'],
    [
      'that adds the missing line ending',
      'a\nb',
      '@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+b\n',
      'a\nb\n',
    ],
    [
      'that removes the last line ending',
      'a\nb\n',
      '@@ -2 +2 @@\n-b\n+b\n\\ No newline at end of file\n',
      'a\nb',
    ],
    ['with an empty line after the end', 'a\nb\n', '@@ -1,3 +1,3 @@\n a\n-b\n+c\n \n', 'a\nc\n'],
    ['of a file with CRLF', 'a\r\nb\r\nc', '@@ -1,2 +1,3 @@\n a\n+x\n b\n', 'a\r\nx\r\nb\r\nc'],
    ['with CRLF itself', 'a\nb\n', '@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+c\r\n', 'a\nc\n'],
    ['with lost blanks, at its line', 'a  \nb\na  \n', '@@ -3 +3 @@\n-a\n+x\n', 'a  \nb\nx\n'],
    [
      'with spaces for tabs',
      'f {\n\tx;\n}\n',
      '@@ -1,3 +1,3 @@\n f {\n-    x;\n+    y;\n }\n',
      'f {\n\ty;\n}\n',
    ],
    [
      'with context of other hunks',
      TWELVE,
      '@@ -2,3 +2,3 @@\n line 2\n-line 3\n+X\n line 4\n@@ -3,3 +3,3 @@\n line 3\n-line 4\n+Y\n line 5\n',
      TWELVE.replace('line 3\nline 4', 'X\nY'),
    ],
    [
      'after another that stands later',
      TWELVE,
      '@@ -9 +9 @@\n-line 9\n+Y\n@@ -2 +2,2 @@\n-line 2\n+X\n+X\n',
      TWELVE.replace('line 2', 'X\nX').replace('line 9', 'Y'),
    ],
  ])('[T190] is applied %s', (_, before, diff, after) => {
    expect(patch(before, diff)).toEqual({ text: after });
  });

  it.each([
    [
      'stands at several places',
      'a\nb\na\nb\na\n',
      '@@ -2 +2 @@\n-a\n+X\n',
      /several places: lines 1, 3, 5; [\s\S]*\n2\| b\n/,
    ],
    [
      'stands at its line only without indentation, and at others',
      '\ta\nb\na\nb\n  a\n',
      '@@ -1 +1 @@\n-    a\n+X\n',
      /lines 1, 3, 5/,
    ],
    [
      'is nowhere',
      TWELVE,
      '@@ -3,3 +3,2 @@\n line 2\n-gone\n line 4\n',
      /not in the file[\s\S]*\n2\| line 2\n3\| line 3\n/,
    ],
    [
      'is nowhere, far after the end',
      TWELVE,
      '@@ -9007199254740993 +1 @@\n-gone\n+x\n',
      /not in the file[\s\S]*\n12\| line 12\n/,
    ],
    [
      'has no old line and no certain place',
      TWELVE,
      '@@ -3 +3 @@\n+x\n',
      /place is not certain[\s\S]*\n3\| line 3\n/,
    ],
    ['has no old line and contradictory numbers', TWELVE, '@@ -3,0 +3,1 @@\n+x\n', /place is not certain/],
    ['is inserted after the end', TWELVE, '@@ -500,0 +501,1 @@\n+x\n', /the file has 12 lines/],
    [
      'comes twice',
      TWELVE,
      '@@ -2,2 +2,3 @@\n line 2\n+x\n line 3\n@@ -2,2 +2,3 @@\n line 2\n+x\n line 3\n',
      /hunk 2 of 2 \(at line 2\) changes the same lines as hunk 1/,
    ],
    [
      'overlaps another',
      TWELVE,
      '@@ -2,2 +2 @@\n-line 2\n-line 3\n+x\n@@ -3 +3 @@\n-line 3\n+y\n',
      /same lines as hunk 1/,
    ],
    ['could be meant at its line, which lost blanks', 'a  \nb\na\n', '@@ -1 +1 @@\n-a\n+x\n', /lines 1, 3/],
  ])('[T190] that %s is rejected with the real lines', (_, before, diff, reason) => {
    expect(patch(before, diff)).toEqual({ reason: expect.stringMatching(reason) as string });
  });

  it('[T190] is not looked for in a long file once for each of a thousand others', () => {
    const hunk = '@@ -2 +2 @@\n same\n-same\n other\n';
    expect(patch('same\n'.repeat(400_000), hunk.repeat(1_000))).toEqual({
      reason: expect.stringContaining('too many hunks') as string,
    });
  });

  it('[T190] is parsed in time whatever the diff repeats', () => {
    for (const line of [
      '\n',
      '--- a\n+++ b\n',
      '@@\n',
      '@@ -1 +1 @@\n+x\n\n',
      '```\n',
      '-\n',
      '*** Begin Patch\n',
    ])
      expect(Array.isArray(parseDiff(`@@ -1,9 +1,9 @@\n-x\n${line.repeat(20_000)}`))).toBe(true);
  });
});

describe('a diff', () => {
  const CHANGED = TWELVE.replace('line 3', 'X');
  const HUNK = '@@ -2,3 +2,3 @@\n line 2\n-line 3\n+X\n line 4\n';

  it.each([
    ['with file headers', `--- a/f\n+++ b/f\n${HUNK}`],
    ['of git', `diff --git a/f b/f\nindex 83db48f..bf2a1c3 100644\n--- a/f\t2026-01-01\n+++ b/f\n${HUNK}`],
    ['in a code fence', `\`\`\`diff\n${HUNK}\`\`\`\n`],
    ['in a code fence, after a sentence', `Here is it:\n\n--- f\n+++ f\n${HUNK}`],
    ['with wrong counts', HUNK.replace('-2,3 +2,3', '-2,9 +2,1')],
    ['without counts', HUNK.replace('-2,3 +2,3', '-2 +2')],
    ['with a title', HUNK.replace('@@\n', '@@ class X {\n')],
    ['without "@@"', `--- f\n+++ f\n${HUNK.slice(HUNK.indexOf('\n') + 1)}`],
    ['with empty lines after it', `${HUNK}\n\n`],
    ['without a final line ending', HUNK.trimEnd()],
    ['with context that has no sign', HUNK.replace(' line 2', 'line 2')],
    [
      'in an envelope',
      `*** Begin Patch\n*** Update File: f\n${HUNK.replace(/@@.*@@/, '@@ class X')}*** End Patch`,
    ],
  ])('[T190] %s is read', (_, diff) => {
    expect(patch(TWELVE, diff)).toEqual({ text: CHANGED });
  });

  it('[T190] has blank context lines without their space', () => {
    expect(patch('a\n\nb\n', '@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n')).toEqual({ text: 'a\n\nc\n' });
    expect(patch('a\n\n', '@@ -1,2 +1,2 @@\n-a\n+c\n\n')).toEqual({ text: 'c\n\n' });
  });

  it('[T190] may remove lines that look like file headers', () => {
    const diff = '@@ -1,2 +1,2 @@\n x\n--- old\n+++ new\n@@ -3 +3 @@\n-y\n+z\n';
    expect(patch('x\n-- old\ny\n', diff)).toEqual({ text: 'x\n++ new\nz\n' });
  });

  it.each([
    'hello',
    '- a list\n- of items\n',
    '*** Begin Patch\n*** End Patch',
    '@@ -1 +1 @@\n only context\n',
  ])('[T190] is not what this is: %j', (text) => expect(parseDiff(text)).toEqual([]));

  it('[T190] names its files, which are changed, created, deleted or renamed', () => {
    const names = (diff: string) => parseDiff(diff).map(({ path, kind }) => ({ path, kind }));
    expect(
      names(
        `--- a/x\n+++ b/x\n${HUNK}--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+y\n--- a/z\n+++ /dev/null\n${HUNK}--- a/b/c\n+++ b/b/d\n${HUNK}--- a/e\n+++ a/e\n${HUNK}`,
      ),
    ).toEqual([
      { path: 'x', kind: 'change' },
      { path: 'y', kind: 'create' },
      { path: 'z', kind: 'delete' },
      { path: 'b/d', kind: 'rename' },
      { path: 'a/e', kind: 'change' },
    ]);
  });

  it('[T190] of two texts leads from one to the other', () => {
    const text = fc
      .tuple(fc.array(fc.constantFrom('a', 'b', 'c', '', '  d'), { maxLength: 12 }), fc.boolean())
      .map(([lines, isOpen]) => lines.join('\n') + (isOpen || lines.length === 0 ? '' : '\n'));
    const cases = fc.tuple(text, text, fc.nat(3));
    for (const [before, after, context] of fc.sample(cases, { numRuns: 1_000, seed: 1 })) {
      if (before === after) continue;
      expect(patch(before, createTwoFilesPatch('x', 'x', before, after, '', '', { context }))).toEqual({
        text: after,
      });
    }
  });
});
