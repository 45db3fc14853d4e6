import { describe, expect, it } from 'vitest';
import { satisfies } from './version-range.ts';

describe('a range of versions', () => {
  it.each<[range: string, inside: string[], outside: string[]]>([
    ['*', ['0.0.0', '9.9.9'], []],
    ['', ['1.0.0'], []],
    ['1.2.3', ['1.2.3'], ['1.2.4', '1.2.2']],
    ['1.2', ['1.2.0', '1.2.9'], ['1.3.0', '1.1.9']],
    ['1.x', ['1.0.0', '1.9.0'], ['2.0.0']],
    ['>=0.2 <1', ['0.2.0', '0.9.9'], ['0.1.9', '1.0.0']],
    ['>= 0.2  < 1', ['0.2.0'], ['1.0.0']],
    ['>1.2', ['1.3.0'], ['1.2.9']],
    ['<=1.2', ['1.2.9'], ['1.3.0']],
    ['^1.2.3', ['1.2.3', '1.9.0'], ['1.2.2', '2.0.0']],
    ['^0.2.3', ['0.2.3', '0.2.9'], ['0.3.0']],
    ['^0.0.3', ['0.0.3'], ['0.0.4']],
    ['~1.2.3', ['1.2.9'], ['1.3.0', '1.2.2']],
    ['~1', ['1.9.0'], ['2.0.0']],
    ['1.0.0 || ^2', ['1.0.0', '2.5.0'], ['1.0.1', '3.0.0']],
    ['v1.0.0-beta.1', ['1.0.0'], ['1.0.1']],
  ])('%j', (range, inside, outside) => {
    expect(inside.filter((version) => satisfies(version, range) !== true)).toEqual([]);
    expect(outside.filter((version) => satisfies(version, range) !== false)).toEqual([]);
  });

  it.each(['latest', '1.2.3.4', '>=a', '1 - 2', '=>1', '1.2 ||| 2', '^^1'])('%j is none', (range) =>
    expect(satisfies('1.0.0', range)).toBeUndefined(),
  );
});
