import fc from 'fast-check';
import { expect, it } from 'vitest';

it('a property test runs all its cases, however long they take', () => {
  let cases = 0;
  const isLast = (): boolean => {
    const endMs = performance.now() + 6;
    while (performance.now() < endMs);
    return ++cases === 100;
  };
  expect(() => fc.assert(fc.property(fc.constant(1), () => !isLast()))).toThrow('after 100 tests');
});

it('a property test has the same cases each time', () => {
  const cases = (): string[] => {
    const seen: string[] = [];
    fc.assert(fc.property(fc.string(), (text) => void seen.push(text)));
    return seen;
  };
  expect(cases()).toEqual(cases());
});
