import { describe, expect, it } from 'vitest';
import { findLimitIssues, goesWith, NO_OPTIONS, toStartRequest } from './start-options.ts';

describe('start options', () => {
  it('[U79] omit empty ones', () => {
    expect(toStartRequest(NO_OPTIONS)).toEqual({});
    expect(
      toStartRequest({
        model: 'small',
        approval: 'ask',
        limits: { maxTurns: ' 12 ', maxTokens: '', maxCostUsd: '0,5' },
      }),
    ).toEqual({ model: 'small', approval: 'ask', limits: { maxTurns: 12, maxCostUsd: 0.5 } });
  });

  it('[U195] require a workflow to write', () => {
    expect(goesWith('read-only', 'workflow')).toBe(false);
    expect(goesWith('ask', 'workflow')).toBe(true);
    expect(goesWith('read-only', 'chat')).toBe(true);
  });

  it.each([
    ['maxTurns', '0'],
    ['maxTurns', '1.5'],
    ['maxTokens', 'many'],
    ['maxTokens', '-1'],
    ['maxCostUsd', 'Infinity'],
  ] as const)('[U79] report %s as invalid if it is %j', (limit, text) => {
    const options = { ...NO_OPTIONS, limits: { ...NO_OPTIONS.limits, [limit]: text } };
    expect(findLimitIssues(options)).toEqual([limit]);
  });
});
