import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const SOURCES = join(import.meta.dirname, '..');
const ACTION = /await .*(?:\.click|\.fill|\.hover|\.upload|keyboard|userEvent\.\w+)\(/;
/** What must not have happened is asserted at once, and `findIssues` waits by itself. */
const AT_ONCE = /\.not\.|toEqual\(\[\]\)|toBe\(false\)|findIssues|textContent|\.length\)|toEqual\(\[0, 0\]\)/;

it('page tests wait for what an action changes, as a busy machine is slow to change it', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  const tests = files.filter((name) => name.endsWith('.test.tsx'));
  const found = tests.flatMap((file) => {
    let isFresh = false;
    return readFileSync(join(SOURCES, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => {
        if (ACTION.test(line)) isFresh = true;
        // Anything else that is awaited comes after the effect.
        else if (/^\s*(?:it\b|it\.|await |const .*= await )/.test(line)) isFresh = false;
        else if (isFresh && /^\s*expect\(/.test(line) && !AT_ONCE.test(line)) return [`${file}:${index + 1}`];
        return [];
      });
  });
  expect(found).toEqual([]);
});
