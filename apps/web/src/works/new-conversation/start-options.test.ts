import { describe, expect, it } from 'vitest';
import type { ShownPackage } from '../../api/queries.ts';
import {
  findLimitIssues,
  firstKind,
  goesWith,
  NO_OPTIONS,
  toStartRequest,
  withFirst,
} from './start-options.ts';

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

  it('[U79] require a workflow to write', () => {
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

const pkg = (hash: string, workflows: number, menu: number) =>
  ({
    package: { hash },
    workflows: Array.from({ length: workflows }, () => ({})),
    agents: [{ menu: Array.from({ length: menu }, () => ({})) }],
  }) as unknown as ShownPackage;

describe('the initial choice', () => {
  const all = [pkg('a', 1, 2), pkg('b', 1, 0), pkg('c', 0, 1)];

  it('[U79] is the package from the route, and its workflow if it has one', () => {
    expect(firstKind(all, 'b')).toBe('workflow');
    expect(firstKind(all, 'a')).toBe('workflow');
    expect(firstKind(all, 'c')).toBe('agent');
    expect(withFirst(all, 'b').map(({ package: { hash } }) => hash)).toEqual(['b', 'a', 'c']);
  });

  it('[U79] is what packages are for if the route has none, or a removed one', () => {
    expect(firstKind(all)).toBe('agent');
    expect(firstKind(all, 'gone')).toBe('agent');
    expect(firstKind([pkg('b', 1, 0)])).toBe('workflow');
    expect(firstKind([])).toBe('chat');
    expect(withFirst(all, undefined)).toEqual(all);
  });
});
