import { expect, it } from 'vitest';
import { remember } from './remember.ts';

it('computes a result once for a key, until enough others were asked about', () => {
  const asked: string[] = [];
  const remembered = remember<number>(2);
  const lengthOf = (text: string): number =>
    remembered(text, () => {
      asked.push(text);
      return text.length;
    });
  expect([lengthOf('a'), lengthOf('bb'), lengthOf('a'), lengthOf('ccc'), lengthOf('a')]).toEqual([
    1, 2, 1, 3, 1,
  ]);
  expect(asked).toEqual(['a', 'bb', 'ccc']);
  expect(lengthOf('bb')).toBe(2);
  expect(asked).toEqual(['a', 'bb', 'ccc', 'bb']);
});
