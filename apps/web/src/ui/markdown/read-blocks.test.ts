import fc from 'fast-check';
import type { MarkedToken } from 'marked';
import { describe, expect, it } from 'vitest';
import { createBlockReader, readBlocks } from './read-blocks.ts';

const solid = (blocks: readonly MarkedToken[]): MarkedToken[] =>
  // The number of empty lines after a block is not visible.
  blocks.flatMap((block) => (block.type === 'space' ? [] : [{ ...block, raw: block.raw.trim() }]));

describe('Markdown blocks', () => {
  const PARTS = [
    '# A title',
    'Words with **marks** and a [link](https://example.com), also [by name][name], [shortly][] and [constructor][].',
    '[name]: https://example.com/name "Title"',
    '[shortly]: https://example.com/short',
    '[name]: https://example.com/other',
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
    `${'>'.repeat(60)} deep`,
  ];

  it('[U15] of a growing text equal those of the whole text, wherever it was cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 }),
        (parts, steps) => {
          const text = parts.join('\n\n');
          const read = createBlockReader();
          let end = 0;
          for (let turn = 0; end < text.length; turn++) {
            end += steps[turn % steps.length] ?? 1;
            read(text.slice(0, end));
          }
          const whole = readBlocks(text);
          const grown = read(text);
          expect(grown.definitions).toBe(whole.definitions);
          expect(solid(grown.blocks)).toEqual(solid(whole.blocks));
        },
      ),
    );
  });

  it('[U15] keep their identity once they are complete', () => {
    const read = createBlockReader();
    const before = read('One.\n\nTwo.\n\nThree.\n\nFo').blocks;
    const after = read('One.\n\nTwo.\n\nThree.\n\nFour **is').blocks;
    expect(after[0]).toBe(before[0]);
    expect(after.at(-1)?.raw).toBe('Four **is**');
  });

  it('[U15] are parsed from the start if the text is replaced', () => {
    const read = createBlockReader();
    read('One.\n\nTwo.\n\nThree.\n\nFour.');
    expect(solid(read('Other words.').blocks).map(({ raw }) => raw)).toEqual(['Other words.']);
  });

  it('[U7] that are tangled do not affect the others', () => {
    const { blocks } = readBlocks(`# Title\n\n${'_a_ '.repeat(1_500)}\n\nWords **and** more`);
    expect(solid(blocks).map(({ type }) => type)).toEqual(['heading', 'text', 'paragraph']);
  });

  it('[U7] of code stay code, however long', () => {
    const code = `\`\`\`\n${'__init__ | a | b\n'.repeat(9_000)}\`\`\``;
    expect(solid(readBlocks(`${code}\n\nWords`).blocks).map(({ type }) => type)).toEqual([
      'code',
      'paragraph',
    ]);
  });
});
