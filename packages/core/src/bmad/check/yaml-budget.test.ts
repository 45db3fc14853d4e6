import { describe, expect, it } from 'vitest';
import { createYamlBudget } from './read-workflows.ts';

const failure = { ok: false, kind: 'unreadable', reason: 'it is broken', line: 1 } as const;

describe('the budget of the full YAML parser', () => {
  it('[B1] rejects further files once the processor time of a package is used up', () => {
    let now = 0;
    const parse = () => {
      now += 900;
      return failure;
    };
    const tryParse = createYamlBudget(() => now);
    const results = Array.from({ length: 5 }, () => tryParse(100, parse));
    expect(results).toEqual([failure, failure, failure, 'too-slow', 'too-slow']);
    expect(now).toBe(2_700);
  });

  it('[B1] rejects a long file, and further files once the characters of a package are used up', () => {
    const tryParse = createYamlBudget(() => 0);
    expect(tryParse(16_385, () => failure)).toBe('too-long');
    const results = Array.from({ length: 20 }, () => tryParse(16_000, () => failure));
    expect(results.filter((result) => result === failure)).toHaveLength(15);
    expect(results.at(-1)).toBe('too-long');
  });
});
