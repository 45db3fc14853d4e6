import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchPassages, toSnippet, toWantedWords } from './find-passages.ts';
import type { Passage } from './fold-passages.ts';

const passage = (text: string): Passage => ({ kind: 'reply', seq: 1, text });
const wanted = (text: string) => toWantedWords(text) ?? { each: [], any: /(?!)/g };

describe('words in passages', () => {
  it('are found in any case, script and order, and all of them must occur', () => {
    const passages = [passage('Die Einkaufsliste für SAMSTAG'), passage('明天的购物清单：牛奶、面包')];
    expect(matchPassages(passages, wanted('samstag einkauf'))?.passages).toEqual([passages[0]]);
    expect(matchPassages(passages, wanted('购物清单'))?.passages).toEqual([passages[1]]);
    expect(matchPassages(passages, wanted('samstag 面包'))?.score).toBe(1);
    expect(matchPassages(passages, wanted('samstag sonntag'))).toBeUndefined();
    expect(toWantedWords('  ')).toBeUndefined();
  });

  it('are marked in a snippet of one line, whatever they are', () => {
    const { text, marks } = toSnippet(passage(`${'x'.repeat(400)}\n a (b)\n* [c`), wanted('(B) [c'));
    expect(text).toMatch(/^…x+ a \(b\) \* \[c$/);
    expect(marks.map(([start, end]) => text.slice(start, end))).toEqual(['(b)', '[c']);
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1 }),
        fc.string({ unit: 'grapheme' }),
        (word, around) => {
          const words = toWantedWords(word);
          fc.pre(words !== undefined);
          const found = passage(`${around}${word.normalize('NFC')}${around}`);
          expect(matchPassages([found], wanted(word))).toBeDefined();
          const snippet = toSnippet(found, wanted(word));
          expect(snippet.text.length).toBeLessThan(210);
          expect(encodeURI(snippet.text)).not.toBe('');
        },
      ),
    );
  });
});
