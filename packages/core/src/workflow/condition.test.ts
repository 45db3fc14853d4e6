import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluateCondition, type Verdict } from './condition.ts';

describe('conditions', () => {
  const variables = { kind: 'green', count: 3, tags: ['a', 'b'], nested: { deep: true }, nothing: null };
  const kind = { var: 'variables.kind' };
  const missing = { var: 'variables.missing' };
  const cases: [expression: unknown, verdict: Verdict][] = [
    [{ '==': [kind, 'green'] }, true],
    [{ '==': [kind, 'brown'] }, false],
    [{ '!=': [kind, 'brown'] }, true],
    [{ '===': [{ var: 'variables.count' }, '3'] }, false],
    [{ '==': [{ var: 'variables.count' }, '3'] }, true],
    [{ '>': [{ var: 'variables.count' }, 2] }, true],
    [{ '<=': [1, { var: 'variables.count' }, 3] }, true],
    [{ '<': [1, { var: 'variables.count' }, 3] }, false],
    [{ in: ['a', { var: 'variables.tags' }] }, true],
    [{ in: ['ree', kind] }, true],
    [{ and: [{ '==': [kind, 'green'] }, { var: 'variables.nested.deep' }] }, true],
    [{ or: [false, { '!': [{ var: 'variables.tags' }] }] }, false],
    [{ '!!': [{ var: 'variables.tags.1' }] }, true],
    [{ if: [{ '==': [kind, 'x'] }, false, true] }, true],
    [{ '==': [{ '+': [1, 2] }, { var: 'variables.count' }] }, true],
    [{ '==': [missing, 'x'] }, 'unknown'],
    [{ '==': [{ var: ['variables.missing', 'x'] }, 'x'] }, true],
    [{ and: [missing, false] }, false],
    [{ or: [missing, true] }, true],
    [{ or: [missing, false] }, 'unknown'],
    [{ method: [kind, 'constructor'] }, 'unknown'],
    [{ log: ['x'] }, 'unknown'],
    [{ var: 'variables.constructor' }, 'unknown'],
    [{ var: 'variables.__proto__.polluted' }, 'unknown'],
    [{ '==': [1, 1], '!=': [1, 1] }, 'unknown'],
    [{}, 'unknown'],
    [true, true],
    [[], false],
  ];
  for (const [expression, verdict] of cases) {
    it(`${JSON.stringify(expression)} is ${String(verdict)}`, () => {
      expect(evaluateCondition(expression, variables)).toBe(verdict);
    });
  }

  it('terminates on any expression', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (expression) => {
        expect([true, false, 'unknown']).toContain(evaluateCondition(expression, variables));
      }),
    );
    let deep: unknown = true;
    for (let level = 0; level < 10_000; level++) deep = { '!': [deep] };
    expect(evaluateCondition(deep, {})).toBe('unknown');
  });
});
