/**
 * The checks that only read sources. Results are cached: a check that passed is skipped until one of its inputs changes, and one
 * that looks at each file alone then reads only the files that changed.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeFiles, root, startNode, toolPath } from './set-up.mjs';

const CODE = ['apps', 'packages', 'scripts', 'e2e', 'bench', 'package.json', 'package-lock.json'];

/**
 * `inputs`: the files and folders that the result depends on. `args` gets the files that changed since the check passed; undefined
 * if it has not.
 */
export const STATIC_CHECKS = [
  {
    name: 'types',
    inputs: [...CODE, 'tsconfig.json', 'tsconfig.base.json', 'vitest.config.ts'],
    // Several checkers repeat each other's work: one needs half the CPU time, and is faster on two cores.
    args: () => [toolPath('typescript7', 'tsc'), '-b', '--checkers', '1'],
  },
  {
    name: 'format and lint',
    inputs: [...CODE, 'examples', 'spec', 'biome.json', 'knip.json', 'vitest.config.ts'],
    args: (changed) => [
      ...[toolPath('@biomejs/biome'), 'check', '--error-on-warnings', '--no-errors-on-unmatched'],
      ...(changed?.every((file) => isSource(file)) ? changed : ['.']),
    ],
  },
  {
    name: 'promises and unsafe values',
    inputs: [...CODE, 'tsconfig.base.json', '.oxlintrc.json'],
    args: () => [toolPath('oxlint'), '--type-aware', '--deny-warnings'],
  },
  {
    name: 'layers',
    inputs: [...CODE, 'layers.config.mjs'],
    args: () => [join(root, 'scripts/check-layers.mjs')],
  },
  {
    name: 'dead code',
    inputs: [...CODE, 'knip.json'],
    args: () => [toolPath('knip'), '--no-progress', '--cache', '--cache-location', '.cache/knip'],
  },
  {
    name: 'numbered rules',
    inputs: [...CODE, 'docs/spec'],
    args: () => [join(root, 'scripts/check-rules.mjs')],
  },
  { name: 'budgets', inputs: CODE, args: () => [join(root, 'scripts/check-budgets.mjs')] },
];

/** A file that others do not depend on in a check that looks at each file alone. */
function isSource(file) {
  return /^(?:apps|packages|scripts|e2e|bench)\/.*\.(?:tsx?|mjs|css)$/.test(file);
}

/** Two of the checks are Go programs: with more memory they collect less garbage, and need an eighth less CPU time. */
const ENV = { GOGC: '400', ...process.env };

/** Runs a check, unless it is known to pass. Returns its exit code and output. */
export async function runStaticCheck({ name, inputs, args }) {
  const stamp = join(root, '.cache', 'checks', name.replaceAll(' ', '-'));
  const files = describeFiles(inputs);
  const passed = existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined;
  if (passed === files) return { status: 0, output: 'nothing changed since it passed' };
  const result = await startNode(args(passed && findChanged(passed, files)), { env: ENV });
  // A file that changed during the check may not have been read.
  if (result.status === 0 && describeFiles(inputs) === files) {
    mkdirSync(join(root, '.cache', 'checks'), { recursive: true });
    writeFileSync(stamp, files);
  }
  return result;
}

/** Files that are new or different; removed ones are not listed. */
function findChanged(before, after) {
  const known = new Set(before.split('\n'));
  const changed = after.split('\n').filter((line) => !known.has(line));
  return changed.map((line) => line.slice(0, line.indexOf('\0')));
}
