import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareCells, toNextSorting } from './sort-cells.ts';

const sorted = (cells: readonly string[], order: 'ascending' | 'descending' = 'ascending') =>
  cells.toSorted((one, other) => compareCells(one, other, order));

describe('a sorted column', () => {
  it('[U7] orders numbers by value, whatever is written around them', () => {
    expect(sorted(['1,200', '30', '−5', '8.5'])).toEqual(['−5', '8.5', '30', '1,200']);
    expect(sorted(['80 %', '3 %', '12 %'])).toEqual(['3 %', '12 %', '80 %']);
    expect(sorted(['$20', '$3', '-$4'])).toEqual(['-$4', '$3', '$20']);
    expect(sorted(['1,200 ms', '300 ms', '8,000 ms'])).toEqual(['300 ms', '1,200 ms', '8,000 ms']);
  });

  it('[U7] orders texts as people do, with empty cells last in both directions', () => {
    expect(sorted(['step 10', '**Step 2**', '', 'apple'])).toEqual(['apple', '**Step 2**', 'step 10', '']);
    expect(sorted(['', 'b', 'a'], 'descending')).toEqual(['b', 'a', '']);
  });

  it('goes through both directions back to the order of the author', () => {
    const first = toNextSorting(undefined, 1);
    const second = toNextSorting(first, 1);
    expect([first, second, toNextSorting(second, 1)]).toEqual([
      { column: 1, order: 'ascending' },
      { column: 1, order: 'descending' },
      undefined,
    ]);
    expect(toNextSorting(second, 0)).toEqual({ column: 0, order: 'ascending' });
  });

  it('is antisymmetric for any two cells that are not empty', () => {
    const cell = fc.oneof(fc.string({ minLength: 1 }), fc.double().map(String));
    fc.assert(
      fc.property(cell, cell, (one, other) => {
        fc.pre(one.trim() !== '' && other.trim() !== '');
        expect(Math.sign(compareCells(one, other, 'ascending'))).toBe(
          -Math.sign(compareCells(other, one, 'ascending')) + 0,
        );
      }),
    );
  });
});
