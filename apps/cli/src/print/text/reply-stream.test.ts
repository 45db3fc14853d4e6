import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellsOf } from './cells.ts';
import { createReplyStream } from './reply-stream.ts';

function render(pieces: readonly string[], width?: number): string {
  const stream = createReplyStream({ indent: '  ', width });
  return pieces.map((piece) => stream.push(piece)).join('') + stream.end();
}

function splitAt(text: string, cuts: readonly number[]): string[] {
  const ends = [...cuts.map((cut) => cut % (text.length + 1)), text.length].sort((a, b) => a - b);
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
}

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '\r\n',
      '\n',
      '\r',
      '\t',
      ' ',
      '\u001b[31m',
      '\u0007',
      '\u202e',
      '👍🏽',
      '漢字',
      'é',
      'word',
    ),
    fc.string({ unit: 'binary', maxLength: 2 }),
  ),
  maxLength: 60,
});

describe('createReplyStream', () => {
  it('[C13] prints the same text wherever chunks end', () => {
    fc.assert(
      fc.property(hostile, fc.array(fc.nat()), fc.constantFrom(undefined, 20, 80), (text, cuts, width) => {
        expect(render(splitAt(text, cuts), width)).toBe(render([text], width));
      }),
    );
  });

  it('[C13] contains no control characters', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must not appear
        expect(render([text])).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      }),
    );
  });

  it('[C13] keeps every word and wraps between words', () => {
    const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 1, maxLength: 12 }));
    fc.assert(
      fc.property(words, (list) => {
        const text = render([list.join(' ')], 20);
        expect(text.split(/\s+/).filter(Boolean)).toEqual(list);
        for (const line of text.split('\n').filter(Boolean)) {
          expect(line.startsWith('  ')).toBe(true);
          expect(cellsOf(line)).toBeLessThanOrEqual(20);
        }
      }),
    );
  });

  it.each([
    ['begins and ends without empty lines', ['\n\n', 'Hello\n\nWorld', '\n\n'], '  Hello\n\n  World'],
    ['joins a character that came in two', ['\ud83d', '\ude00!'], '  😀!'],
    ['takes a line break that came in two for one', ['a\r', '\nb'], '  a\n  b'],
    ['keeps indentation', ['- a\n  - b'], '  - a\n    - b'],
    ['says nothing when nothing came', ['', '\n'], ''],
  ])('[C13] %s', (_, pieces, expected) => {
    expect(render(pieces)).toBe(expected);
  });

  it('[C13] wraps wide characters by cell width', () => {
    expect(render(['漢字漢字漢字'], 8)).toBe('  漢字漢\n  字漢字');
  });
});
