import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isSameValue } from './same-value.ts';

it.each([
  [{ a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1 }, true],
  [{ a: 1, b: undefined }, { a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: undefined, b: 1 }, { c: undefined, b: 1 }, true],
  [{ a: undefined }, { b: 1 }, false],
  [{ a: null }, {}, false],
  [{}, [], false],
  [[], {}, false],
  [[1, 2], [2, 1], false],
  [[1], [1, 1], false],
  [{ toString: 1 }, {}, false],
  [{}, { toString: 1 }, false],
  [Number.NaN, Number.NaN, true],
  ['1', 1, false],
  [null, {}, false],
])('%j and %j: %s', (a, b, isSame) => {
  expect(isSameValue(a, b)).toBe(isSame);
});

it('says what their JSON says, with keys in order', () => {
  const inOrder = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(inOrder)
      : typeof value === 'object' && value !== null
        ? Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, inner]) => [key, inOrder(inner)])
        : value;
  const toText = (value: unknown): string => JSON.stringify([Array.isArray(value), inOrder(value)]);
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      // JSON has no negative zero.
      const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
      const [one, other] = [asJson(a), asJson(b)];
      expect(isSameValue(one, asJson(one))).toBe(true);
      if (toText(one) !== toText(other)) expect(isSameValue(one, other)).toBe(false);
    }),
  );
});
