import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBlockReader, readBlocks } from './read-blocks.ts';

const toShape = (text: string, blocks = readBlocks(text)): string[] =>
  blocks.flatMap(({ type, raw }) => (type === 'space' ? [] : [`${type} ${raw.trim()}`]));

describe('blocks of markdown', () => {
  const PARTS = [
    '# A title',
    'Words with **marks** and a [link](https://example.com).',
    '- one\n- another\n  - deeper',
    '- [x] done\n- [ ] to do',
    '1. first\n2. second',
    '```ts\nconst a = 1;\n\nconst b = 2;\n```',
    '> said by\n> others',
    '| a | b |\n| - | - |\n| 1 | 2 |',
    'A title\n---',
    '---',
    '<div>\nno element\n</div>',
    '    four spaces',
  ];

  it('[U170] of a text that grew are those of the whole text, wherever it was cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 12 }),
        (parts, steps) => {
          const text = parts.join('\n\n');
          const read = createBlockReader();
          let end = 0;
          for (let turn = 0; end < text.length; turn++) {
            end += steps[turn % steps.length] ?? 1;
            read(text.slice(0, end));
          }
          expect(toShape(text, read(text))).toEqual(toShape(text));
        },
      ),
    );
  });

  it('[U170] that are settled stay the same objects while the text grows', () => {
    const read = createBlockReader();
    const before = read('One.\n\nTwo.\n\nThree.\n\nFo');
    const after = read('One.\n\nTwo.\n\nThree.\n\nFour **is');
    expect(after[0]).toBe(before[0]);
    expect(after.at(-1)?.raw).toBe('Four **is**');
  });

  it('[U170] begin anew where a text is another one', () => {
    const read = createBlockReader();
    read('One.\n\nTwo.\n\nThree.\n\nFour.');
    expect(toShape('', read('Other words.'))).toEqual(['paragraph Other words.']);
  });

  it.each([
    ['quotes in quotes', '>'.repeat(50_000)],
    ['emphasis without end', '_a_'.repeat(17_000)],
    ['stars without end', '**a *'.repeat(10_000)],
    ['headings without end', 'a\n-\n'.repeat(12_500)],
    ['brackets without end', '![['.repeat(17_000)],
    ['lists in lists', Array.from({ length: 300 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n')],
    ['ticks without end', '`a'.repeat(25_000)],
  ])('[U171] are read in good time or not at all: %s', (_, text) => {
    const blocks = readBlocks(text);
    expect(blocks.map(({ raw }) => raw).join('')).toBe(text);
  });
});
