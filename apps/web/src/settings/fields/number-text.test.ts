import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseNumber, toNumberText } from './number-text.ts';

const KB = { factor: 1024, isWhole: true };

describe('a typed number', () => {
  it.each([
    ['', {}, { kind: 'blank' }],
    ['  ', {}, { kind: 'blank' }],
    ['7', { isWhole: true, least: 1 }, { kind: 'number', value: 7 }],
    ['1,234,567', { isWhole: true }, { kind: 'number', value: 1_234_567 }],
    ['0.5', {}, { kind: 'number', value: 0.5 }],
    ['512', KB, { kind: 'number', value: 524_288 }],
    ['0.5', KB, { kind: 'number', value: 512 }],
    ['0', {}, { kind: 'wrong' }],
    ['0', { least: 1 }, { kind: 'wrong' }],
    ['2.5', { isWhole: true, least: 1 }, { kind: 'wrong' }],
    ['-3', {}, { kind: 'wrong' }],
    ['1e9', {}, { kind: 'wrong' }],
    ['Infinity', {}, { kind: 'wrong' }],
    ['many', {}, { kind: 'wrong' }],
    ['99999999999999999999', { isWhole: true }, { kind: 'wrong' }],
  ] as const)('[U87] %j is parsed as %j', (text, kind, expected) => {
    expect(parseNumber(text, kind)).toEqual(expected);
  });

  it('[U87] round-trips through the displayed text', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), (value) => {
        expect(parseNumber(toNumberText(value, {}), { isWhole: true })).toEqual({ kind: 'number', value });
        const bytes = value * 1024;
        expect(parseNumber(toNumberText(bytes, KB), KB)).toEqual({ kind: 'number', value: bytes });
      }),
    );
  });

  it('[U87] is a whole number or invalid, whatever is typed', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const parsed = parseNumber(text, { isWhole: true, least: 1 });
        if (parsed.kind === 'number') expect(Number.isSafeInteger(parsed.value)).toBe(true);
      }),
    );
  });
});
