import { describe, expect, it } from 'vitest';
import { compareVersions } from './compare-versions.ts';

describe('compareVersions', () => {
  it.each([
    ['1.10.0', '1.9.9', 1],
    ['1.2', '1.2.0', 0],
    ['01.2.0', '1.2', 0],
    ['0.1.0', '0.1.0-beta', 0],
    ['2', '10.0', -1],
    ['anything', '0.0.1', -1],
  ])('%s and %s: %i', (left, right, order) => {
    expect(Math.sign(compareVersions(left, right))).toBe(order);
    expect(Math.sign(compareVersions(right, left))).toBe(-order + 0);
  });
});
