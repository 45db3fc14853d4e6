import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPERATORS, toCondition, toConditionText, toExpression } from './condition-rows.ts';
import { mergeText } from './merge-text.ts';

describe('a condition', () => {
  it('is the same after it was shown as rows', () => {
    const text = fc.constantFrom('a', 'projectType', '1', 'true', '"x"', '', '中', '{');
    const row = fc.record({
      variable: text.filter((name) => name !== ''),
      operator: fc.constantFrom(...OPERATORS),
      value: text,
    });
    const condition = fc.record({
      joiner: fc.constantFrom('and' as const, 'or' as const),
      rows: fc.array(row, { minLength: 1, maxLength: 3 }),
    });
    fc.assert(
      fc.property(condition, (shown) => {
        const expression = toExpression(shown);
        const again = toCondition(expression);
        if (!again) throw new Error('it does not fit');
        expect(toExpression(again)).toEqual(expression);
        expect(toConditionText(again)).not.toBe('');
      }),
    );
  });

  it.each([
    [{ '==': [{ var: 'variables.a' }, 'x'] }, "variables.a == 'x'"],
    [
      { or: [{ '>': [{ var: 'variables.n' }, 3] }, { '!': [{ var: 'variables.b' }] }] },
      'variables.n > 3 or not variables.b',
    ],
  ])('is described for readers: %j', (expression, text) => {
    const condition = toCondition(expression);
    expect(condition && toConditionText(condition)).toBe(text);
  });

  it.each([
    { '+': [1, 2] },
    { '==': [1, { var: 'variables.a' }] },
    { and: [{ or: [] }] },
    { a: 1, b: 2 },
    { '==': [{ var: 'a' }, 1] },
  ])('is left to JSON where it does not fit: %j', (expression) =>
    expect(toCondition(expression)).toBeUndefined(),
  );
});

describe('two edits of one text', () => {
  it.each([
    ['a\nb\nc\nd', 'A\nb\nc\nd', 'a\nb\nc\nD', 'A\nb\nc\nD'],
    ['a\nb', 'a\nb', 'x\nb', 'x\nb'],
    ['a\nb\nc', 'a\nc', 'a\nb\nc\nd', 'a\nc\nd'],
    ['a\nb', 'a\nX', 'a\nX', 'a\nX'],
    ['a\nb', 'a\nX', 'a\nY', undefined],
    ['', 'mine', 'theirs', undefined],
  ])('%j → %j and %j', (base, mine, theirs, merged) => expect(mergeText(base, mine, theirs)).toBe(merged));

  it('lose no line that only one of them added', () => {
    const line = fc.constantFrom('a', 'b', 'c', '');
    const lines = fc.array(line, { maxLength: 6 }).map((all) => all.join('\n'));
    fc.assert(
      fc.property(lines, lines, (base, mine) => {
        expect(mergeText(base, mine, base)).toBe(mine);
        expect(mergeText(base, base, mine)).toBe(mine);
        expect(mergeText(base, mine, mine)).toBe(mine);
      }),
    );
  });
});
