import { expect, it } from 'vitest';
import { chooseTests } from './affected-tests.mjs';
import { findExcess, lowerBudgets, roomOf } from './check-budgets.mjs';
import { findViolations } from './check-layers.mjs';

it('a room is a folder of the sources of a package or an app', () => {
  expect(
    [
      'packages/core/src/tools/state/x.ts',
      'packages/core/src/x.ts',
      'apps/web/x.ts',
      'scripts/mutants/x.mjs',
    ].map(roomOf),
  ).toEqual(['packages/core/src/tools', 'packages/core/src', 'apps/web', 'scripts']);
});

it('a room above its budget, or without one, is an excess; budgets are only lowered', () => {
  const [rooms, budgets] = [
    { a: 10, b: 5, c: 1 },
    { a: 9, b: 7, gone: 3 },
  ];
  expect(findExcess(rooms, budgets).map((problem) => problem.slice(0, 30))).toEqual([
    'a has 10 lines, 1 above its bu',
    'c has 1 lines and no budget. A',
  ]);
  expect(findExcess(rooms, { a: 10, b: 5, c: 1 })).toEqual([]);
  expect(lowerBudgets(rooms, budgets)).toEqual({ a: 9, b: 5 });
});

it('the tests nearest to a changed file are chosen, and the others counted', () => {
  const importers = new Map([
    ['packages/core/src/a.ts', ['packages/core/src/b.ts', 'packages/core/src/a.test.ts', 'e2e/a.test.ts']],
    ['packages/core/src/b.ts', Array.from({ length: 40 }, (_, at) => `apps/cli/src/${at}.test.ts`)],
  ]);
  const { node, web, others } = chooseTests(['packages/core/src/a.ts'], importers);
  expect(node.slice(0, 2)).toEqual(['packages/core/src/a.test.ts', 'apps/cli/src/0.test.ts']);
  expect([node.length + others, web]).toEqual([41, []]);
});

it('imports against a rule, cycles, and folders that import each other are found', () => {
  const found = { 'a/x.ts': ['a/b/y.ts', 'node:fs'], 'a/b/y.ts': ['a/z.ts'], 'a/z.ts': ['a/z.ts'] };
  const imports = new Map(Object.entries(found).map(([file, to]) => [file, to.map((one) => ({ to: one }))]));
  const pure = { name: 'pure', from: { path: '^a/', pathNot: 'y' }, to: { path: '^node:' } };
  expect(findViolations(imports, [pure], ['a ↔ c'])).toEqual([
    'pure: a/x.ts → node:fs',
    'no-cycles: a/z.ts',
    'folders import each other: a ↔ a/b',
    'no longer an exception: a ↔ c',
  ]);
});
