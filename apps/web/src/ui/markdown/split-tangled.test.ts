import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMITS, readBlocks, splitTangled } from './read-blocks.ts';

/** Repeats `unit` up to the limit. */
const upTo = (unit: string, most: number): string => unit.repeat(Math.floor(most / unit.length));

describe('tangled markdown', () => {
  it('[U7] is split without losing a character', () => {
    const line = fc.constantFrom('', 'words', '```', '~~~', '> '.repeat(60), '*'.repeat(2_001), '  ', '|-|');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const text = lines.join('\n');
        const parts = splitTangled(text);
        expect(parts.map((part) => part.text).join('')).toBe(text);
      }),
    );
  });

  it.each([
    ['emphasis', 'x_a_ '.repeat(LIMITS.marks / 2), '_'],
    ['rows of a table', `${'a|'.repeat(100)}\n${'-|'.repeat(100)}\n${'a\n'.repeat(198)}`, 'a'],
    ['lines', 'a\n'.repeat(LIMITS.lines), 'b'],
    ['quotes in quotes', `${'>'.repeat(LIMITS.quotes)} a`, '\n'.concat('>'.repeat(LIMITS.quotes + 1))],
    ['length', 'a'.repeat(LIMITS.length), 'a'],
  ])('[U7] has more %s than the limit', (_, text, more) => {
    expect(splitTangled(text).map((part) => part.isTangled)).toEqual([false]);
    expect(splitTangled(text + more).map((part) => part.isTangled)).toEqual([true]);
  });

  // Slow parsing would show here: each text is just below a limit.
  it.each([
    ['emphasis', upTo('_a_', LIMITS.marks)],
    ['stars', upTo('**a *', LIMITS.marks)],
    ['headings', 'a\n-\n'.repeat(LIMITS.lines / 2)],
    ['brackets', upTo('![[', LIMITS.length)],
    ['links', upTo('[a](b', LIMITS.length)],
    ['ticks', upTo('`a', LIMITS.length)],
    ['lists in lists', Array.from({ length: 190 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n')],
    ['lists in a line', upTo('- ', LIMITS.length)],
    ['cells', `${'a|'.repeat(1_000)}\n${'-|'.repeat(1_000)}\n${'a\n'.repeat(17)}`],
  ])('[U7] is not: %s up to the limit', (_, text) => {
    expect(splitTangled(text)).toEqual([{ text, isTangled: false }]);
    const { blocks } = readBlocks(text);
    expect(blocks.map(({ raw }) => raw).join('')).toBe(text);
  });
});
