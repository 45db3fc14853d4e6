import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKeyGuard, hasMarker } from './key-guard.ts';

const KEY = 'sk-proj-0123456789abcdef';
const keys = createKeyGuard([KEY], 'run-1');

/** Text that often contains the key or parts of it. */
const text = fc
  .array(
    fc.oneof(
      fc.constant(KEY),
      fc.nat(KEY.length).map((end) => KEY.slice(0, end)),
      fc.string({ maxLength: 5 }),
    ),
  )
  .map((parts) => parts.join(''));

describe('a key in a text', () => {
  it('[L73] is replaced by a marker that does not contain it, and can be restored', () => {
    fc.assert(
      fc.property(text, (given) => {
        const hidden = keys.hide(given);
        expect(hidden).not.toContain(KEY);
        expect(hasMarker(hidden)).toBe(given.includes(KEY));
        expect(keys.restore(hidden)).toBe(given);
      }),
    );
  });

  it('[L73] is replaced however the text is chunked, and no part of it is emitted before', () => {
    const pieces = fc.tuple(text, fc.array(fc.nat(200), { maxLength: 20 })).map(([whole, cuts]) => {
      const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length];
      return { whole, pieces: at.slice(1).map((end, index) => whole.slice(at[index], end)) };
    });
    fc.assert(
      fc.property(pieces, ({ whole, pieces: given }) => {
        const stream = keys.createStream();
        const shown = given.map((piece) => stream.push(piece));
        expect([...shown, stream.end()].join('')).toBe(keys.hide(whole));
        expect(shown.join('')).not.toContain(KEY);
      }),
    );
  });

  it('[L73] is found in every string of a value; values without keys stay the same object', () => {
    const value = { a: ['x', { b: `<${KEY}>` }], c: 1, d: null, e: ['y'] };
    const hidden = keys.hide(value);
    expect(JSON.stringify(hidden)).not.toContain(KEY);
    expect(hidden.e).toBe(value.e);
    expect(hidden).toMatchObject({ c: 1, d: null });
    expect(keys.hide(value.e)).toBe(value.e);
  });

  it('[L73] is found JSON-escaped and URL-encoded, and each spelling is restored', () => {
    const odd = 'pass/word"with\\more+signs';
    const guard = createKeyGuard([odd], 'run-1');
    for (const spelling of [odd, JSON.stringify(odd).slice(1, -1), encodeURIComponent(odd)]) {
      const hidden = guard.hide(`a ${spelling} b`);
      expect(hidden).not.toContain(spelling);
      expect(guard.restore(hidden)).toBe(`a ${spelling} b`);
    }
  });

  it('[L73] has another marker in every run, and cannot be restored without the key', () => {
    const hidden = keys.hide(KEY);
    const elsewhere = createKeyGuard([KEY], 'run-2');
    expect(elsewhere.hide(KEY)).not.toBe(hidden);
    expect(elsewhere.restore(hidden)).toBeUndefined();
    expect(createKeyGuard(['sk-proj-another-one'], 'run-1').restore(hidden)).toBeUndefined();
    expect(createKeyGuard([], 'run-1').restore(hidden)).toBeUndefined();
  });

  it('[L73] is not replaced if it is as short as an ordinary word', () => {
    for (const word of ['', 'none', 'lm-studio', 'not-needed'])
      expect(createKeyGuard([word], 'run-1').hide(`${word} is lm-studio`)).toBe(`${word} is lm-studio`);
  });

  it('[L73] comes back whatever the keys are: parts of a marker, of each other or of themselves', () => {
    const key = fc.oneof(
      fc.constantFrom(
        'API key hidden',
        'hidden: 00000000',
        'aaaaaaaaaaaa',
        'aaaaaaaaaaaaaaaa',
        ']]]]]]]]]]]]',
        '$&$&$&$&$&$&',
      ),
      fc.string({
        unit: fc.constantFrom('a', '[', ']', '0', ' ', ':', '.', '*'),
        minLength: 12,
        maxLength: 14,
      }),
    );
    fc.assert(
      fc.property(
        fc.array(key, { minLength: 1, maxLength: 3 }),
        fc.array(fc.string({ maxLength: 3 })),
        (given, parts) => {
          const guard = createKeyGuard(given, 'run-1');
          const whole = parts.flatMap((part, at) => [part, given[at % given.length] ?? '']).join('');
          expect(guard.restore(guard.hide(whole))).toBe(whole);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
