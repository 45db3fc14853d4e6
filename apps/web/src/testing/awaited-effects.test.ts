import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findUnawaited } from './awaited-effects.ts';

const SOURCES = join(import.meta.dirname, '..');

it('page tests wait for what an action changes, as a busy machine is slow to change it', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  const found = files
    .filter((name) => name.endsWith('.test.tsx'))
    .flatMap((file) =>
      findUnawaited(readFileSync(join(SOURCES, file), 'utf8')).map((line) => `${file}:${line}`),
    );
  expect(found).toEqual([]);
});

it.each([
  ['right after a click', "await button.click();\nexpect(input.element().value).toBe('');", [2]],
  [
    'after an action over several lines',
    "await page\n  .getByText('a')\n  .click();\nexpect(a).toBe(1);",
    [4],
  ],
  [
    'after another await that waits for something else',
    'await b.click();\nawait read();\nexpect(a).toBe(1);',
    [3],
  ],
  ['in a loop', 'for (const b of all) {\n  await b.click();\n  expect(a).toBe(1);\n}', [3]],
  [
    'about what must not happen',
    'await b.click();\nexpect(sent).toEqual([]);\nexpect(x).not.toBe(1);',
    [2, 3],
  ],
  ['that waits for itself', 'await userEvent.keyboard("x");\nexpect(await findIssues()).toEqual([]);', [2]],
  [
    'after something that waits',
    'await b.click();\nawait expect.element(a).toBeVisible();\nexpect(a).toBe(1);',
    [],
  ],
  [
    'after a function that acts',
    'const press = async () => {\n  await b.click();\n};\nawait press();\nexpect(a).toBe(1);',
    [5],
  ],
  ['that polls', 'await b.fill("x");\nawait expect.poll(() => sent).toEqual([1]);', []],
  ['before an action', 'expect(a).toBe(1);\nawait b.click();', []],
  [
    'in another function',
    "it('a', async () => {\n  await b.click();\n});\nit('b', () => {\n  expect(a).toBe(1);\n});",
    [],
  ],
])('an assertion %s', (_, source, lines) => {
  expect(findUnawaited(source)).toEqual(lines);
});
