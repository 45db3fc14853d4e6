import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeText } from './text-file.ts';
import { diffOf } from './unified-diff.ts';

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

it('[T24] shows a file that is too large to compare in full, and truncates it at the write limit', () => {
  const large = Buffer.from('line\n'.repeat(300_000));
  const diff = diffOf('@project/a', Buffer.from('before\n'), large);
  expect(diff).toMatch(/^@project\/a: 7 bytes → 1500000 bytes; shown in full\n@@ /);
  expect(diff.split('\n').filter((line) => line === '+line')).toHaveLength(300_000);
  const huge = diffOf('@project/a', undefined, Buffer.from('x\n'.repeat(2_000_000)));
  expect(huge).toMatch(/\n… \(\d+ characters in total\)\n$/);
});
