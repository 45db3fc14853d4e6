import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

it('[I6] CI runs the main journeys and all others', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const commands = read('.ci/run').split('\n');
  for (const command of ['npm test', 'npm run --silent test:journeys']) expect(commands).toContain(command);
  expect(scripts).toMatchObject({
    test: 'node scripts/test.mjs',
    'test:journeys': 'node scripts/test.mjs journeys',
  });
  const filters = [...read('scripts/check.mjs').matchAll(/'--tags-filter', '([^']+)'/g)].map(
    ([, tag]) => tag,
  );
  expect(filters).toEqual(['main', '!main']);
});

it('[I6] some journeys are main ones, and some are not', () => {
  const journeys = readdirSync(join(ROOT, 'e2e'))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => read(join('e2e', name)));
  const count = (text: RegExp): number => journeys.join('\n').match(text)?.length ?? 0;
  const [all, main] = [count(/^ *it[(.]/gm), count(/tags: 'main'/g)];
  expect(main).toBeGreaterThan(10);
  expect(main).toBeLessThan(all / 3);
});
