import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdits, type TextEdit } from './apply-edits.ts';
import { parseDiff } from './parse-diff.ts';

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

  it('[T11] are never changed, whatever they are', () => {
    for (const { head, tail, hasBom, nulAt } of fc.sample(files, { numRuns: 1_000, seed: 1 })) {
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
    }
  });

  it('[T11] are never changed in UTF-16, lone surrogates included', () => {
    const unit = fc.integer({ min: 0x20, max: 0xffff }).map((code) => String.fromCharCode(code));
    const lines = fc.array(
      fc.array(unit, { maxLength: 8 }).map((units) => `${units.join('')}\n`),
      { maxLength: 6 },
    );
    const encode = (text: string, isBig: boolean): Buffer => {
      const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
      return isBig ? bytes.swap16() : bytes;
    };
    const texts = fc.tuple(lines, lines, fc.boolean());
    for (const [head, tail, isBig] of fc.sample(texts, { numRuns: 500, seed: 1 })) {
      const whole = (line: string): Buffer => encode(`${head.join('')}${line}\n${tail.join('')}`, isBig);
      for (const toEdit of edits) {
        const edited = applyEdits(whole('the only line'), [toEdit(head.length + 1)], 1e6);
        expect(edited.ok && Buffer.compare(Buffer.from(edited.bytes), whole('an edited line'))).toBe(0);
      }
    }
  });

  it('[T11] stay invalid beside an edit, after a byte-order mark', () => {
    const file = Buffer.concat([
      Buffer.from('\uFEFFgrün\n'),
      Buffer.from([0x61, 0xff, 0x0a]),
      Buffer.from('ende\n'),
    ]);
    const edited = applyEdits(file, [{ operation: 'replace', find: 'grün', replace: EURO }], 1e6);
    expect(edited.ok && Buffer.from(edited.bytes).toString('latin1')).toBe(
      `${Buffer.from(`\uFEFF${EURO}\n`).toString('latin1')}a\xff\nende\n`,
    );
    const hunks = parseDiff('@@ -2 +2 @@\n-a\uFFFD\n+b\n')[0]?.hunks ?? [];
    const shown = applyEdits(file, [{ operation: 'diff', hunks }], 1e6);
    expect(shown.ok && Buffer.from(shown.bytes).toString()).toBe('\uFEFFgrün\nb\nende\n');
  });

  it.each([
    ['€ in Latin-1', Buffer.from('gr\xfcn\n', 'latin1'), EURO, '"€" (U+20AC)'],
    ['an emoji in Latin-1', Buffer.from('gr\xfcn\n', 'latin1'), '😀', '"😀" (U+1F600)'],
    ['half a character', Buffer.from('grün\n'), 'x\ud83d', 'half a character (U+D83D)'],
  ])('[T11] are not re-encoded for %s, which is rejected', (_, file, added, reason) => {
    const replaced = applyEdits(file, [{ operation: 'replace', find: 'gr', replace: added }], 1e6);
    expect(replaced).toMatchObject({ ok: false, reason: expect.stringContaining(reason) as string });
    const hunks = parseDiff(`@@ -1,0 +2 @@\n+${added}\n`)[0]?.hunks ?? [];
    expect(applyEdits(file, [{ operation: 'diff', hunks }], 1e6)).toMatchObject({
      ok: false,
      reason: expect.stringContaining(reason) as string,
    });
  });

  it('[T190] do not grow beyond the limit in between', () => {
    const edit = { operation: 'replace', find: 'a', replace: 'aa', all: true } as const;
    const edited = applyEdits(Buffer.from('ab'), Array<TextEdit>(40).fill(edit), 1_000_000);
    expect(edited).toMatchObject({
      ok: false,
      reason: expect.stringContaining('longer than the limit') as string,
    });
  });
});
