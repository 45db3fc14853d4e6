import { describe, expect, it } from 'vitest';
import { isNestedTooDeep, toReadableJson } from './json-text.ts';

describe('JSON that is shown', () => {
  it('[T22] is shown unchanged if it has a duplicate key', () => {
    expect(toReadableJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
    for (const text of ['{"a":1,"a":2}', '{"a":', 'words', '']) expect(toReadableJson(text)).toBe(text);
  });

  it('[T22] is shown unchanged if it is nested very deeply', () => {
    const text = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(toReadableJson(text)).toBe(text);
  });

  it('[T22] counts open brackets, but not in strings', () => {
    const nest = (levels: number): string => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;
    expect([isNestedTooDeep(nest(64)), isNestedTooDeep(nest(66))]).toEqual([false, true]);
    expect(isNestedTooDeep(JSON.stringify('[\\"{'.repeat(100)))).toBe(false);
    expect(isNestedTooDeep('[{}],'.repeat(1_000))).toBe(false);
  });
});
