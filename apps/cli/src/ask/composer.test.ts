import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPasteFilter, type InputChunk } from './composer.ts';

const paste = (text: string): string => `\u001b[200~${text}\u001b[201~`;

/** Chunks of all pieces, with adjacent keys merged. */
function filter(...pieces: string[]): InputChunk[] {
  const { push } = createPasteFilter();
  const joined: InputChunk[] = [];
  for (const piece of pieces.flatMap((text) => push(text))) {
    const last = joined.at(-1);
    if (last?.kind === 'keys' && piece.kind === 'keys')
      joined[joined.length - 1] = { kind: 'keys', text: last.text + piece.text };
    else joined.push(piece);
  }
  return joined;
}

describe('createPasteFilter', () => {
  it('[C15] separates keys from pastes', () => {
    expect(filter(`a${paste('b\r\nc\rd')}\r`)).toEqual([
      { kind: 'keys', text: 'a' },
      { kind: 'paste', text: 'b\nc\nd' },
      { kind: 'keys', text: '\r' },
    ]);
    expect(filter('\u001b[A', '\u001b')).toEqual([{ kind: 'keys', text: '\u001b[A\u001b' }]);
  });

  it('[C15] removes control characters from a paste and keeps its text', () => {
    expect(filter(paste('x\u0003\u0004\u001b[A\u007f\u009b\ty 你好 👩‍👧'))).toEqual([
      { kind: 'paste', text: 'x[A\ty 你好 👩‍👧' },
    ]);
  });

  it('[C15] gives the same result wherever chunks end', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.string(), fc.array(fc.nat(200)), (keys, pasted, cuts) => {
        const text = keys
          .map((key) => `${key.replaceAll('\u001b', '')}${paste(pasted.replaceAll('\u001b', ''))}`)
          .join('');
        // A lone escape is a key, so no chunk ends after the escape of a mark.
        const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))]
          .filter((at) => text[at - 1] !== '\u001b')
          .sort((a, b) => a - b);
        const pieces = [0, ...places].map((at, index) => text.slice(at, places[index]));
        expect(filter(...pieces)).toEqual(filter(text));
      }),
    );
  });
});
