import { describe, expect, it } from 'vitest';
import type { PackageContents } from '../../api/works-queries.ts';
import { firstKind, withFirst } from './first-choice.ts';

const pkg = (hash: string, workflows: number, menu: number) =>
  ({
    package: { hash },
    workflows: Array.from({ length: workflows }, () => ({})),
    agents: [{ menu: Array.from({ length: menu }, () => ({})) }],
  }) as unknown as PackageContents;

describe('the initial choice', () => {
  const all = [pkg('a', 1, 2), pkg('b', 1, 0), pkg('c', 0, 1)];

  it('[U141] is the package from the route, and its workflow if it has one', () => {
    expect(firstKind(all, 'b')).toBe('workflow');
    expect(firstKind(all, 'a')).toBe('workflow');
    expect(firstKind(all, 'c')).toBe('agent');
    expect(withFirst(all, 'b').map(({ package: { hash } }) => hash)).toEqual(['b', 'a', 'c']);
  });

  it('[U141] is what packages are for if the route has none, or a removed one', () => {
    expect(firstKind(all)).toBe('agent');
    expect(firstKind(all, 'gone')).toBe('agent');
    expect(firstKind([pkg('b', 1, 0)])).toBe('workflow');
    expect(firstKind([])).toBe('chat');
    expect(withFirst(all, undefined)).toEqual(all);
  });
});
