import { fromVisibleText, toVisibleText } from '@crewagent/protocol/visible-text';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseDiff } from './parse-diff.ts';

/** A diff of a new file, as the runtime makes it. */
function toDiff(text: string): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const end = text.endsWith('\n') ? '' : '\\ No newline at end of file\n';
  return `--- /dev/null\n+++ @project/a\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}${end}`;
}

/** The rendered text, unescaped. */
function readShown(diff: string): string {
  const { lines, isWindows } = parseDiff(diff);
  const shown = lines.filter(({ kind }) => kind === 'added').map(({ text }) => toVisibleText(text));
  expect(shown.every((line) => !/[\p{Cc}\p{Cf}]/u.test(line.replaceAll('\t', '')))).toBe(true);
  const isOpen = lines.at(-1)?.kind === 'note';
  const end = isWindows ? '\r\n' : '\n';
  return shown.map(fromVisibleText).join(end) + (isOpen ? '' : end);
}

it('[U34] a rendered change, unescaped, equals what is written, character for character', () => {
  const line = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\r', '\u001b[2K', '⟨1B⟩', '', '@@ -1 +1 @@', '…'),
  );
  const text = fc
    .tuple(fc.array(line), fc.constantFrom('\n', '\r\n'), fc.boolean())
    .map(([lines, end, isOpen]) => lines.join(end) + (isOpen ? '' : end))
    .filter((content) => content !== '');
  fc.assert(
    fc.property(text, (content) => {
      expect(readShown(toDiff(content))).toBe(content);
    }),
  );
});
