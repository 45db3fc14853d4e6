import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBlocks } from '../../../ui/markdown/read-blocks.ts';
import { createReplySplitter, SHORTEST_PART, splitReply } from './split-reply.ts';

const WORDS = 'Words that fill a paragraph, with **marks** and `code`. '.repeat(6).trim();
const BLOCKS = [
  WORDS,
  `# A title\n\n${WORDS}`,
  `**Bold** ${WORDS}`,
  `See [the name][name] and [this](docs/a.md). ${WORDS}`,
  '[name]: https://example.com/name',
  `- one\n\n- another ${WORDS}\n\n  more of it`,
  `1. first\n\n2. second\n\n${WORDS}`,
  `- an item\n\n  \`\`\`ts\n  const a = 1;\n\n# none\n  \`\`\``,
  `\`\`\`\`md\n\`\`\`\n\n# none\n\n${WORDS}\n\`\`\`\``,
  `$$\na = b\n\nc = d\n$$`,
  `<!--\n\n# none\n\n${WORDS}\n-->`,
  `> ${WORDS}\n\n> again`,
  '| a | b |\n| - | - |\n| 1 | 2 |',
  `A title\n---\n\n${WORDS}`,
  '    four spaces',
  '---',
];

const typesOf = (text: string, definitions: string): string[] =>
  readBlocks(`${definitions}\n${text}`).blocks.flatMap(({ type, raw }) =>
    type === 'space' || type === 'def' ? [] : [`${type} ${raw.trim()}`],
  );
const partsOf = (text: string): string[] => {
  const { completed, last } = splitReply(text);
  return [...completed, last];
};

describe('a reply in parts', () => {
  it('[U29] has the same text and the same blocks as the whole', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...BLOCKS), { minLength: 1, maxLength: 14 }), (blocks) => {
        const text = blocks.join('\n\n');
        const { definitions } = splitReply(text);
        expect(partsOf(text).join('')).toBe(text);
        expect(partsOf(text).flatMap((part) => typesOf(part, definitions))).toEqual(typesOf(text, ''));
      }),
    );
  });

  it('[U29] is split in the same way wherever the text was cut while it grew', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...BLOCKS), { minLength: 3, maxLength: 10 }),
        fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 12 }),
        (blocks, steps) => {
          const text = blocks.join('\n\n');
          const split = createReplySplitter();
          let seen: readonly string[] = [];
          for (let end = 0, turn = 0; end < text.length; turn++) {
            end += steps[turn % steps.length] ?? 1;
            const { completed } = split(text.slice(0, end));
            expect(completed.slice(0, seen.length)).toEqual(seen);
            seen = completed;
          }
          expect(split(text)).toEqual(splitReply(text));
        },
      ),
    );
  });

  it('[U29] is split at headings and paragraphs, into parts that are not too short', () => {
    const parts = partsOf(Array.from({ length: 20 }, (_, at) => `## ${at}\n\n${WORDS}`).join('\n\n'));
    expect(parts.length).toBeGreaterThan(5);
    for (const part of parts.slice(0, -1)) expect(part.length).toBeGreaterThanOrEqual(SHORTEST_PART);
    expect(parts.every((part) => part.startsWith('## ') || part.startsWith('Words'))).toBe(true);
    expect(partsOf(`- ${WORDS}\n\n`.repeat(20))).toHaveLength(1);
    expect(partsOf(`\`\`\`\n${`${WORDS}\n\n`.repeat(20)}`)).toHaveLength(1);
  });

  it('[U29] begins anew with another text, and keeps its completed parts otherwise', () => {
    const split = createReplySplitter();
    const long = `${WORDS}\n\n`.repeat(8);
    const { completed } = split(long);
    expect(split(`${long}More`).completed).toBe(completed);
    expect(split('Other')).toEqual({ completed: [], last: 'Other', definitions: '' });
  });
});
