import { createTwoFilesPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdits, type TextEdit } from './apply-edits.ts';
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
  ])('[T192] that %s is rejected with the real lines', (_, before, diff, reason) => {
    expect(patch(before, diff)).toEqual({ reason: expect.stringMatching(reason) as string });
  });

  it('[T42] is not looked for in a long file once for each of a thousand others', () => {
    const hunk = '@@ -2 +2 @@\n same\n-same\n other\n';
    expect(patch('same\n'.repeat(400_000), hunk.repeat(1_000))).toEqual({
      reason: expect.stringContaining('too many hunks') as string,
    });
  });

  it('[T42] is parsed in time whatever the diff repeats', () => {
    for (const line of [
      '\n',
      '--- a\n+++ b\n',
      '@@\n',
      '@@ -1 +1 @@\n+x\n\n',
      '```\n',
      '-\n',
      '*** Begin Patch\n',
    ])
      expect(Array.isArray(parseDiff(`@@ -1,9 +1,9 @@\n-x\n${line.repeat(50_000)}`))).toBe(true);
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
  ])('[T191] %s is read', (_, diff) => {
    expect(patch(TWELVE, diff)).toEqual({ text: CHANGED });
  });

  it('[T191] has blank context lines without their space', () => {
    expect(patch('a\n\nb\n', '@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n')).toEqual({ text: 'a\n\nc\n' });
    expect(patch('a\n\n', '@@ -1,2 +1,2 @@\n-a\n+c\n\n')).toEqual({ text: 'c\n\n' });
  });

  it('[T191] may remove lines that look like file headers', () => {
    const diff = '@@ -1,2 +1,2 @@\n x\n--- old\n+++ new\n@@ -3 +3 @@\n-y\n+z\n';
    expect(patch('x\n-- old\ny\n', diff)).toEqual({ text: 'x\n++ new\nz\n' });
  });

  it.each([
    'hello',
    '- a list\n- of items\n',
    '*** Begin Patch\n*** End Patch',
    '@@ -1 +1 @@\n only context\n',
  ])('[T191] is not what this is: %j', (text) => expect(parseDiff(text)).toEqual([]));

  it('[T191] names its files, which are changed, created, deleted or renamed', () => {
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

  it('[T16] of two texts leads from one to the other', () => {
    const text = fc
      .tuple(fc.array(fc.constantFrom('a', 'b', 'c', '', '  d'), { maxLength: 12 }), fc.boolean())
      .map(([lines, isOpen]) => lines.join('\n') + (isOpen || lines.length === 0 ? '' : '\n'));
    fc.assert(
      fc.property(text, text, fc.nat(3), (before, after, context) => {
        fc.pre(before !== after);
        expect(patch(before, createTwoFilesPatch('x', 'x', before, after, '', '', { context }))).toEqual({
          text: after,
        });
      }),
      { numRuns: 500 },
    );
  });
});

describe('bytes outside the edited lines', () => {
  const EURO = '€';
  const bytesOf = (lines: readonly Uint8Array[]): Buffer =>
    Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
  /** Any bytes but those that end a line, or make a file binary. */
  const anyLine = fc
    .uint8Array({ maxLength: 12 })
    .map((bytes) => bytes.map((byte) => (byte < 0x20 || byte === 0x7f ? byte + 0x40 : byte)));
  const files = fc.record({
    head: fc.array(anyLine, { maxLength: 6 }),
    tail: fc.array(anyLine, { maxLength: 6 }),
    hasBom: fc.boolean(),
    nulAt: fc.option(fc.nat(20)),
  });
  const edits: readonly ((line: number) => TextEdit)[] = [
    () => ({ operation: 'replace', find: 'the only line', replace: 'an edited line' }),
    (line) => ({
      operation: 'diff',
      hunks: parseDiff(`@@ -${line} +${line} @@\n-the only line\n+an edited line\n`)[0]?.hunks ?? [],
    }),
  ];

  it('[T193] are never changed, whatever they are', () => {
    fc.assert(
      fc.property(files, ({ head, tail, hasBom, nulAt }) => {
        // NUL bytes are allowed far inside, where nobody looked for them.
        const far = nulAt === null ? [] : [Buffer.alloc(8_300, 'x'), Buffer.alloc(nulAt)];
        const before = Buffer.concat([
          hasBom ? Buffer.from('\uFEFF') : Buffer.alloc(0),
          bytesOf([...far, ...head]),
        ]);
        const after = bytesOf(tail);
        const file = Buffer.concat([before, Buffer.from('the only line\n'), after]);
        for (const toEdit of edits) {
          const line = far.length + head.length + 1;
          const edited = applyEdits(file, [toEdit(line)], 1e6);
          const expected = Buffer.concat([before, Buffer.from('an edited line\n'), after]);
          expect(edited.ok && Buffer.compare(Buffer.from(edited.bytes), expected)).toBe(0);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('[T193] are never changed in UTF-16, lone surrogates included', () => {
    const unit = fc.integer({ min: 0x20, max: 0xffff }).map((code) => String.fromCharCode(code));
    const lines = fc.array(
      fc.array(unit, { maxLength: 8 }).map((units) => `${units.join('')}\n`),
      { maxLength: 6 },
    );
    const encode = (text: string, isBig: boolean): Buffer => {
      const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
      return isBig ? bytes.swap16() : bytes;
    };
    fc.assert(
      fc.property(lines, lines, fc.boolean(), (head, tail, isBig) => {
        const whole = (line: string): Buffer => encode(`${head.join('')}${line}\n${tail.join('')}`, isBig);
        for (const toEdit of edits) {
          const edited = applyEdits(whole('the only line'), [toEdit(head.length + 1)], 1e6);
          expect(edited.ok && Buffer.compare(Buffer.from(edited.bytes), whole('an edited line'))).toBe(0);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('[T193] stay invalid beside an edit, after a byte-order mark', () => {
    const file = Buffer.concat([
      Buffer.from('\uFEFFgrün\n'),
      Buffer.from([0x61, 0xff, 0x0a]),
      Buffer.from('ende\n'),
    ]);
    const edited = applyEdits(file, [{ operation: 'replace', find: 'grün', replace: EURO }], 1e6);
    expect(edited.ok && Buffer.from(edited.bytes).toString('latin1')).toBe(
      `${Buffer.from(`\uFEFF${EURO}\n`).toString('latin1')}a\xff\nende\n`,
    );
    expect(patch(file, '@@ -2 +2 @@\n-a\uFFFD\n+b\n')).toEqual({ text: '\uFEFFgrün\nb\nende\n' });
  });

  it.each([
    ['€ in Latin-1', Buffer.from('gr\xfcn\n', 'latin1'), EURO, '"€" (U+20AC)'],
    ['an emoji in Latin-1', Buffer.from('gr\xfcn\n', 'latin1'), '😀', '"😀" (U+1F600)'],
    ['half a character', Buffer.from('grün\n'), 'x\ud83d', 'half a character (U+D83D)'],
  ])('[T193] are not re-encoded for %s, which is rejected', (_, file, added, reason) => {
    const replaced = applyEdits(file, [{ operation: 'replace', find: 'gr', replace: added }], 1e6);
    expect(replaced).toMatchObject({ ok: false, reason: expect.stringContaining(reason) as string });
    const hunks = parseDiff(`@@ -1,0 +2 @@\n+${added}\n`)[0]?.hunks ?? [];
    expect(applyEdits(file, [{ operation: 'diff', hunks }], 1e6)).toMatchObject({
      ok: false,
      reason: expect.stringContaining(reason) as string,
    });
  });

  it('[T42] do not grow beyond the limit in between', () => {
    const edit = { operation: 'replace', find: 'a', replace: 'aa', all: true } as const;
    const edited = applyEdits(Buffer.from('ab'), Array<TextEdit>(40).fill(edit), 1_000_000);
    expect(edited).toMatchObject({
      ok: false,
      reason: expect.stringContaining('longer than the limit') as string,
    });
  });
});
