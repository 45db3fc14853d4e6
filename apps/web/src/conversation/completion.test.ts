import { describe, expect, it } from 'vitest';
import { complete, findCompletion } from './completion.ts';

describe('completion', () => {
  it.each([
    ['/', 1, { kind: 'command', query: '', start: 0, end: 1 }],
    ['/re', 3, { kind: 'command', query: 're', start: 0, end: 3 }],
    ['see @docs/pl', 12, { kind: 'file', query: 'docs/pl', start: 4, end: 12 }],
    ['@', 1, { kind: 'file', query: '', start: 0, end: 1 }],
    ['mail a@b.c', 10, undefined],
    ['1 /re', 5, undefined],
    ['/re sume', 8, undefined],
    ['@a b', 4, undefined],
  ] as const)('[U10] in %j at %i', (text, cursor, expected) => {
    expect(findCompletion(text, cursor)).toEqual(expected);
  });

  it('[U10] puts the choice where the cursor is', () => {
    const query = findCompletion('see @pl now', 7);
    expect(query && complete('see @pl now', query, 'docs/plan.md')).toEqual({
      text: 'see @docs/plan.md now',
      cursor: 18,
    });
  });
});
