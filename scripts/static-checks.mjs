/**
 * The checks that only read sources. Results are cached: a check that passed is skipped until one of its inputs changes.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprintOf, root, startNode, toolPath } from './set-up.mjs';

const CODE = ['apps', 'packages', 'scripts', 'e2e', 'bench', 'package.json', 'package-lock.json'];

/** `inputs`: the files and folders that the result depends on. */
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
    args: () => [toolPath('@biomejs/biome'), 'check', '--error-on-warnings', '.'],
  },
  {
    name: 'promises and unsafe values',
    inputs: [...CODE, 'tsconfig.base.json', '.oxlintrc.json'],
    args: () => [toolPath('oxlint'), '--type-aware', '--deny-warnings'],
  },
  {
    name: 'layers',
    inputs: [...CODE, '.dependency-cruiser.mjs'],
    args: () => [join(root, 'scripts/check-layers.mjs')],
  },
  { name: 'dead code', inputs: [...CODE, 'knip.json'], args: () => [toolPath('knip'), '--no-progress'] },
  {
    name: 'numbered rules',
    inputs: [...CODE, 'docs/spec'],
    args: () => [join(root, 'scripts/check-rules.mjs')],
  },
  { name: 'budgets', inputs: CODE, args: () => [join(root, 'scripts/check-budgets.mjs')] },
];

/** Two of the checks are Go programs: with more memory they collect less garbage, and need an eighth less CPU time. */
const ENV = { GOGC: '400', ...process.env };

/** Runs a check, unless it is known to pass. Returns its exit code and output. */
export async function runStaticCheck({ name, inputs, args }) {
  const stamp = join(root, '.cache', 'checks', name.replaceAll(' ', '-'));
  const fingerprint = fingerprintOf(inputs);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint)
    return { status: 0, output: 'nothing changed since it passed' };
  const result = await startNode(args(), { env: ENV });
  // A file that changed during the check may not have been read.
  if (result.status === 0 && fingerprintOf(inputs) === fingerprint) {
    mkdirSync(join(root, '.cache', 'checks'), { recursive: true });
    writeFileSync(stamp, fingerprint);
  }
  return result;
}
