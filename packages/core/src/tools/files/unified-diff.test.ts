import { isCutPreview } from '@crewagent/protocol/described-actions';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText } from './text-file.ts';
import { countChanges, diffOf } from './unified-diff.ts';

const HEX_ROW = /^\+[0-9a-f]{8} {2}((?:[0-9a-f]{2}| |$)+?) {2}\|/;

/** Restores the bytes of a new file from its diff alone. */
function readDiff(diff: string): Buffer {
  const lines = diff
    .slice(diff.indexOf('\n@@ ') + 1)
    .split('\n')
    .slice(1, -1);
  if (diff.startsWith('@project/a: new file'))
    return Buffer.from(
      lines.map((line) => HEX_ROW.exec(line)?.[1]?.replaceAll(' ', '') ?? '?').join(''),
      'hex',
    );
  const isOpen = lines.at(-1)?.startsWith('\\') ?? false;
  const text = (isOpen ? lines.slice(0, -1) : lines).map((line) => line.slice(1)).join('\n');
  return Buffer.from(isOpen ? text : `${text}\n`);
}

it('[T24] contains every byte of a change, as text or as hex', () => {
  const content = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
    fc.string({ unit: 'binary', minLength: 1 }).map((text) => Buffer.from(text)),
    fc
      .array(fc.constantFrom('a', '', '\r'), { minLength: 1 })
      .map((lines) => Buffer.from(`${lines.join('\n')}\n`)),
  );
  fc.assert(
    fc.property(content, (bytes) => {
      const decoded = decodeText(bytes);
      // Other encodings are shown as decoded text.
      fc.pre(decoded === undefined || Buffer.from(decoded.text).equals(bytes));
      expect(readDiff(diffOf('@project/a', undefined, bytes)).toString('hex')).toBe(bytes.toString('hex'));
    }),
  );
});

const lines = fc
  .tuple(
    fc.array(fc.constantFrom('a', 'b', 'c', '', 'a\r', '@@ -1 +1 @@', '+x', '-y'), { maxLength: 30 }),
    fc.boolean(),
  )
  .map(([all, isOpen]) => `${all.join('\n')}${isOpen || all.length === 0 ? '' : '\n'}`);

it('[T24] turns the old text into the new one, whatever was trimmed', () => {
  for (const [before, after] of fc.sample(fc.tuple(lines, lines), 2_000)) {
    const diff = diffOf('@project/a', Buffer.from(before), Buffer.from(after));
    const patch = diff.slice(diff.indexOf('--- '));
    expect([before, after, applyPatch(before, patch)]).toEqual([before, after, after]);
  }
});

describe('the preview of a large change', () => {
  const large = Array.from({ length: 70_003 }, (_, index) => `Line ${index} of a long file.\n`);

  it('[T104] shows one changed line of a large text as one hunk', () => {
    const changed = large.with(35_000, 'Another line.\n');
    const diff = diffOf('@project/a', Buffer.from(large.join('')), Buffer.from(changed.join('')));
    expect(large.join('').length).toBeGreaterThan(1024 * 1024);
    expect(diff.slice(diff.indexOf('@@'))).toBe(
      [
        '@@ -34998,7 +34998,7 @@\n',
        ...[34_997, 34_998, 34_999].map((index) => ` ${large[index]}`),
        `-${large[35_000]}`,
        '+Another line.\n',
        ...[35_001, 35_002, 35_003].map((index) => ` ${large[index]}`),
      ].join(''),
    );
    expect(countChanges(diff)).toEqual({ added: 1, removed: 1 });
  });

  it('[T104] shows changed bytes of a large binary file as a few rows', () => {
    const bytes = Buffer.alloc(700_000, 'x');
    bytes[10] = 0;
    const changed = Buffer.from(bytes);
    changed[500_000] = 0xff;
    const diff = diffOf('@project/a', bytes, changed);
    expect(diff).toMatch(/^@project\/a: 700000 bytes → 700000 bytes\n@@ -31248,7 \+31248,7 @@\n/);
    expect(diff.match(/^[+-]/gm)).toEqual(['+', '-']);
    expect(diff).toContain('+0007a120  ff 78');
  });

  it('[T104] shows a part that is too large to compare as removed and added', () => {
    const other = large.map((line) => `Not ${line}`).slice(0, 20_000);
    const [before, after] = [large.slice(0, 20_000), other].map((part) =>
      Buffer.from(`same\n${part.join('')}end\n`),
    );
    const diff = diffOf('@project/a', before, after ?? Buffer.alloc(0));
    expect(countChanges(diff)).toEqual({ added: 20_000, removed: 20_000 });
    expect(diff).toContain('@@ -1,20002 +1,20002 @@\n same\n-Line 0');
    expect(diff.endsWith(' end\n')).toBe(true);
  });

  it.each([
    ['empty lines', Buffer.from(`${'\n'.repeat(1_200_000)}payload\n`), 1_200_001],
    ['lines', Buffer.from('x\n'.repeat(1_000_000)), 1_000_000],
    [
      'one NUL',
      Buffer.concat([Buffer.from([0]), Buffer.alloc(700_000, 'x'), Buffer.from('payload')]),
      43_751,
    ],
  ])('[T104] says exactly what it leaves out, and never that it is complete: %s', (_, content, all) => {
    const diff = diffOf('@project/a', undefined, content);
    expect(diff.length).toBeLessThan(2 * 1024 * 1024 + 100);
    expect(diff).not.toContain('in full');
    const missing = /\n… ([\d,]+) more lines \(([\d,]+) bytes\), not shown\n$/.exec(diff)?.slice(1) ?? [];
    const [missingLines = 0] = missing.map((count) => Number(count.replaceAll(',', '')));
    const shown = diff.slice(diff.indexOf('@@')).split('\n').length - 3;
    expect(shown + missingLines).toBe(all);
    expect([isCutPreview(diff), countChanges(diff)]).toEqual([true, undefined]);
  });

  it('[T104] is complete as long as it fits, and content cannot look like a cut', () => {
    const forged = diffOf('@project/a', undefined, Buffer.from('a\n… 5 more lines (9 bytes), not shown\n'));
    expect(isCutPreview(forged)).toBe(false);
    const fits = diffOf('@project/a', Buffer.from('before\n'), Buffer.from('line\n'.repeat(300_000)));
    expect(isCutPreview(fits)).toBe(false);
    expect(countChanges(fits)).toEqual({ added: 300_000, removed: 1 });
  });

  it('[T104] shows the new content first where not all of it can be shown', () => {
    const diff = diffOf('@project/a', Buffer.from('old line\n'.repeat(400_000)), Buffer.from('payload\n'));
    expect(diff).toContain('@@\n+payload\n-old line\n');
    expect(isCutPreview(diff)).toBe(true);
  });
});

describe('the first lines of a preview', () => {
  const headOf = (before: Buffer | undefined, after: Buffer): string[] =>
    diffOf('@project/a', before, after)
      .split('\n')
      .filter((line) => /^[A-Z][\w -]+: \S.*/.test(line) && !line.startsWith('Index: '));
  const latin = Buffer.from('caf\u00e9\n', 'latin1');
  const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

  it.each<[string[], Buffer | undefined, Buffer]>([
    [['Encoding: Latin-1 → UTF-8 (the whole file is re-encoded)'], latin, Buffer.from('café €\n')],
    [[], latin, Buffer.from('coffee\n')],
    [
      ['Encoding: UTF-16 LE → UTF-8 (the whole file is re-encoded)', 'Byte-order mark: removed'],
      Buffer.from('\ufeffa\n', 'utf16le'),
      Buffer.from('a\n'),
    ],
    [['Byte-order mark: removed'], Buffer.concat([BOM, Buffer.from('a\n')]), Buffer.from('a\n')],
    [['Byte-order mark: added'], Buffer.from('a\n'), Buffer.concat([BOM, Buffer.from('a\n')])],
    [['Byte-order mark: added'], undefined, Buffer.concat([BOM, Buffer.from('a\n')])],
    [['Line endings: CRLF → LF'], Buffer.from('a\r\nb\r\n'), Buffer.from('a\nb\n')],
    [['Line endings: LF → mixed'], Buffer.from('a\nb\n'), Buffer.from('a\r\nb\n')],
    [[], Buffer.from('a\n'), Buffer.from('b\n')],
    [[], undefined, Buffer.from('b\r\n')],
  ])('[T104] say what changes besides the lines: %j', (notes, before, after) => {
    expect(headOf(before, after)).toEqual(notes);
  });

  it('[T104] are not needed for bytes that are no valid text: those are shown as they are', () => {
    const withByte = (byte: number) => Buffer.concat([BOM, Buffer.from('a\n'), Buffer.from([byte])]);
    expect(diffOf('@project/a', withByte(0xff), withByte(0xfe))).toMatch(/\+00000000 {2}ef bb bf 61 0a fe/);
  });
});
