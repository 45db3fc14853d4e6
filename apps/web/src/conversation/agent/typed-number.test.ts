import { describe, expect, it } from 'vitest';
import { typeDigit } from './typed-number.ts';

const upTo = (most: number): readonly number[] => Array.from({ length: most }, (_, index) => index + 1);

describe('a number typed in a menu', () => {
  it('[U10] chooses immediately if it can mean only one item', () => {
    expect(typeDigit('', '2', upTo(3))).toEqual({ digits: '2', meant: 2, isSure: true });
    expect(typeDigit('', '7', upTo(3))).toEqual({ digits: '', meant: undefined, isSure: false });
    expect(typeDigit('', '0', upTo(3)).meant).toBeUndefined();
  });

  it('[U10] waits for a second digit if there may be one', () => {
    expect(typeDigit('', '1', upTo(12))).toEqual({ digits: '1', meant: 1, isSure: false });
    expect(typeDigit('1', '2', upTo(12))).toEqual({ digits: '12', meant: 12, isSure: true });
    expect(typeDigit('1', '5', upTo(12))).toEqual({ digits: '5', meant: 5, isSure: true });
  });
});
