import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TARGETS } from './targets.mjs';

const ROOT = join(import.meta.dirname, '../..');

describe('the targets of mutation testing', () => {
  it('[I9] are sources and tests that exist', () => {
    const paths = TARGETS.flatMap(({ sources, tests }) => [...sources, ...tests]);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it.each(TARGETS)('[I9] exclude only what exists: $sources.0', ({ sources, tests, skip, leaveOut }) => {
    const titles = tests.flatMap(
      (path) => readFileSync(join(ROOT, path), 'utf8').match(/\bit(?:\.\w+)*\('.*'/g) ?? [],
    );
    for (const words of skip?.source.split('|') ?? [])
      expect(
        titles.filter((title) => title.includes(words)),
        words,
      ).not.toEqual([]);
    const files = sources.flatMap((path) => (path.endsWith('/') ? readdirSync(join(ROOT, path)) : []));
    if (leaveOut) expect(files.filter((name) => leaveOut.test(name))).not.toEqual([]);
  });
});
