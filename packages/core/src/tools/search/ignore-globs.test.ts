import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesGlob, parseGlob } from './ignore-globs.ts';

/** A part of a glob, with the regular expression of the same meaning. */
interface Piece {
  readonly glob: string;
  readonly pattern: string;
}

const piece = fc.constantFrom<Piece>(
  { glob: 'a', pattern: 'a' },
  { glob: 'b', pattern: 'b' },
  { glob: '.', pattern: '\\.' },
  { glob: '\\*', pattern: '\\*' },
  { glob: '*', pattern: '[^/]*' },
  { glob: '*', pattern: '[^/]*' },
  { glob: '?', pattern: '[^/]' },
  { glob: '[ab]', pattern: '[ab]' },
  { glob: '[!a]', pattern: '[^a/]' },
  { glob: '{a,b.}', pattern: '(?:a|b\\.)' },
);
const segment = fc.oneof(
  { arbitrary: fc.constant(undefined), weight: 1 },
  {
    // Two stars in a row mean something else.
    arbitrary: fc.array(piece, { minLength: 1, maxLength: 3 }).filter(
      (pieces) =>
        !pieces
          .map(({ glob }) => glob)
          .join('')
          .includes('**'),
    ),
    weight: 4,
  },
);
const name = fc.array(fc.constantFrom('a', 'b', '.', '*'), { minLength: 1, maxLength: 3 });

describe('globs', () => {
  it('[T30] match exactly what the regular expression of the same meaning matches', () => {
    const segments = fc.array(segment, { minLength: 1, maxLength: 3 });
    const path = fc.array(name, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(segments, path, (parts, names) => {
        const glob = parts.map((pieces) => pieces?.map((one) => one.glob).join('') ?? '**').join('/');
        const expected = new RegExp(`^${toPattern(parts)}$`, 'u');
        const text = names.map((one) => one.join('')).join('/');
        expect([glob, text, matchesGlob(parseGlob(glob) ?? [], text)]).toEqual([
          glob,
          text,
          expected.test(text),
        ]);
      }),
      { numRuns: 4_000 },
    );
  });
});

function toPattern(parts: readonly (readonly Piece[] | undefined)[]): string {
  return parts
    .map((pieces, index) => {
      const isLast = index === parts.length - 1;
      if (!pieces) return isLast ? '.*' : '(?:.*/)?';
      return pieces.map(({ pattern }) => pattern).join('') + (isLast ? '' : '/');
    })
    .join('');
}
