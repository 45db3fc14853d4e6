import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import targets from './targets.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '../..');

describe('the targets of mutation testing', () => {
  it('are sources and tests that exist', () => {
    const paths = targets.flatMap(({ sources, tests }) => [...sources, ...tests]);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it.each(targets)('exclude only what exists: $sources.0', ({ tests, skip }) => {
    const titles = tests.flatMap(
      (path) => readFileSync(join(ROOT, path), 'utf8').match(/\bit(?:\.\w+)*\('.*'/g) ?? [],
    );
    for (const words of skip?.split('|') ?? [])
      expect(
        titles.filter((title) => title.includes(words)),
        words,
      ).not.toEqual([]);
  });
});
