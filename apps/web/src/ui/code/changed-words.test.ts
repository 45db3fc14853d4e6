import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findChangedParts } from './changed-words.ts';
import type { DiffRow } from './parse-diff.ts';

const row = (kind: DiffRow['kind'], text: string): DiffRow => ({
  ...{ kind, text, before: undefined, after: undefined },
});

/** The changed words of each row, or none. */
function changedOf(...rows: readonly DiffRow[]): (string | undefined)[] {
  const parts = findChangedParts(rows);
  return rows.map((one) => {
    const part = parts.get(one);
    return part && one.text.slice(...part);
  });
}

describe('changed words', () => {
  it.each([
    ['Line 3 of the plan.', 'Line 4 of the plan.', '3', '4'],
    ['# Plan', '# The plan', undefined, undefined],
    ['a long sentence here', 'a long, long sentence here', '', ', long'],
    ['同一行文字，改了一处', '同一行文字，改了两处', '一', '两'],
    ['same', 'same', undefined, undefined],
    ['all of it', 'nothing here', undefined, undefined],
  ])('of %s and %s', (before, after, removed, added) => {
    expect(changedOf(row('removed', before), row('added', after))).toEqual([removed, added]);
  });

  it('are marked only where lines replace each other', () => {
    expect(changedOf(row('same', 'a b c'), row('added', 'a b d'))).toEqual([undefined, undefined]);
    expect(changedOf(row('removed', 'one two 1'), row('removed', 'x'), row('added', 'one two 2'))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(
      changedOf(
        row('removed', 'one two 1'),
        row('removed', 'three four 1'),
        row('added', 'one two 2'),
        row('added', 'three four 2'),
      ),
    ).toEqual(['1', '1', '2', '2']);
  });

  it('leave both lines equal around them', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (before, after) => {
        const [old, now] = [row('removed', before), row('added', after)];
        const parts = findChangedParts([old, now]);
        const [one, other] = [parts.get(old), parts.get(now)];
        if (!one || !other) return;
        expect(before.slice(0, one[0])).toBe(after.slice(0, other[0]));
        expect(before.slice(one[1])).toBe(after.slice(other[1]));
        expect(before.slice(...one)).not.toMatch(/\p{Surrogate}/u);
      }),
    );
  });
});
