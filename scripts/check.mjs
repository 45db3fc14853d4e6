/**
 * `npm run check`: the fast inner loop. Format, lint, types, layers, dead code, numbered rules, unit tests;
 * all of them run, so that one look shows everything.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { planPageTests } from './find-chromium.mjs';
import { root, runNode, runTool, say, setUp } from './set-up.mjs';

const STEPS = [
  ['format and lint', () => runTool('@biomejs/biome', ['check', '--error-on-warnings', '.'])],
  ['types', () => runTool('typescript', ['-b'], { bin: 'tsc' })],
  ['promises and unsafe values', () => runTool('oxlint', ['--type-aware', '--deny-warnings'])],
  ['layers', () => runNode([join(root, 'scripts/check-layers.mjs')])],
  ['dead code', () => runTool('knip', ['--no-progress'])],
  ['numbered rules', () => runNode([join(root, 'scripts/check-rules.mjs')])],
  ['tests', (env) => test('node', env)],
];

/** A browser wants the machine for itself, or what should take a second takes ten. */
const PAGE_STEPS = [
  ['tests in a browser', (env) => test('web', env)],
  ['journeys', (env) => test('e2e', env)],
];

function test(project, env) {
  return runTool('vitest', ['run', '--project', project], { env: { ...process.env, ...env } });
}

/** Runs every step and returns whether all of them passed. `env` reaches the tests; the options are for tests of this. */
export function runChecks(env = {}, options = {}) {
  const { plan = planPageTests(), steps = STEPS, pageSteps = PAGE_STEPS, tell = say } = options;
  const isSkipping = plan.kind === 'skip';
  const failed = [];
  for (const [name, step] of isSkipping ? steps : [...steps, ...pageSteps]) {
    tell(`\n— ${name}`);
    if (step({ ...env, ...(isSkipping ? { CREWAGENT_SKIP_SAID: '1' } : {}) }) !== 0) failed.push(name);
  }
  if (isSkipping) tell(`\n${plan.sentence}`);
  if (failed.length > 0) tell(`\nFailed: ${failed.join(', ')}.`);
  else tell(`\n${isSkipping ? 'Everything else passed.' : 'Everything passed.'}`);
  return failed.length === 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  setUp();
  await build();
  process.exitCode = runChecks() ? 0 : 1;
}
