/**
 * `npm run check`: the fast inner loop: all static checks, and the tests nearest to the changed files. Continues after failures,
 * so that all are reported. Also defines the steps of `npm test`.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { chooseTests } from './affected-tests.mjs';
import { planPageTests } from './find-chromium.mjs';
import { isMain, say, setUp, startNode, toolPath } from './set-up.mjs';
import { runStaticCheck, STATIC_CHECKS } from './static-checks.mjs';
import { makeTestFolder } from './test-folder.mjs';

/** Beside the other tests a second worker gains nothing: a browser alone keeps a core busy. */
const ONE_WORKER = ['--maxWorkers', '1'];
/** The tests of `npm test`; the static checks run in parallel. */
const ALL_TESTS = [vitest('tests', ['--project', 'node'])];
const ALL_PAGE_TESTS = [
  vitest('tests in a browser', ['--project', 'web', ...ONE_WORKER]),
  vitest('main journeys', ['--project', 'e2e', '--tags-filter', 'main', ...ONE_WORKER]),
];
const OTHER_JOURNEYS = [vitest('other journeys', ['--project', 'e2e', '--tags-filter', '!main'])];

function vitest(name, args) {
  return {
    name,
    run: async (env) => {
      say(`\n— ${name}`);
      const { status } = await startNode([toolPath('vitest'), 'run', ...args], { env, stdio: 'inherit' });
      const output = status === 0 ? '' : readIfExists(env.CREWAGENT_FAILED_TESTS);
      return { status, output };
    },
  };
}

/** Empty if vitest ended before it could write the file. */
function readIfExists(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/**
 * Runs every step and resolves with whether all passed. Static checks, tests and tests of the page run in parallel, because each
 * of them spends much of its time waiting for disks, processes and browsers.
 */
export async function runChecks({
  tests,
  pageTests,
  staticChecks = STATIC_CHECKS,
  plan = planPageTests(),
  log = say,
}) {
  const isSkipping = plan.kind === 'skip';
  const folder = makeTestFolder();
  const env = {
    ...process.env,
    TMPDIR: folder,
    CREWAGENT_FAILED_TESTS: join(folder, 'failed-tests'),
    ...(isSkipping ? { CREWAGENT_SKIP_SAID: '1' } : {}),
  };
  const failed = [];
  const inOrder = async (steps) => {
    for (const { name, run } of steps) {
      const startedMs = performance.now();
      const { status, output } = await run(env);
      if (status !== 0) failed.push({ name, output });
      const seconds = Math.round((performance.now() - startedMs) / 1000);
      log(`${status === 0 ? '✓' : '✗'} ${name} (${seconds} s)`);
    }
  };
  await Promise.all([
    inOrder(staticChecks.map((check) => ({ name: check.name, run: () => runStaticCheck(check) }))),
    inOrder(tests),
    inOrder(isSkipping ? [] : pageTests),
  ]).finally(() => rmSync(folder, { recursive: true, force: true }));
  if (isSkipping) log(`\n${plan.sentence}`);
  for (const { name, output } of failed) log(`\n— ${name}\n${output.trimEnd()}`);
  if (failed.length > 0) log(`\nFailed: ${failed.map(({ name }) => name).join(', ')}.`);
  else log(`\n${isSkipping ? 'Everything else passed.' : 'Everything passed.'}`);
  return failed.length === 0;
}

/** `npm test`. */
export function runAllTests() {
  return runChecks({ tests: ALL_TESTS, pageTests: ALL_PAGE_TESTS });
}

/** `npm run test:journeys`. */
export function runOtherJourneys() {
  return runChecks({ tests: [], pageTests: OTHER_JOURNEYS, staticChecks: [] });
}

if (isMain(import.meta.url)) {
  setUp();
  const { node, web, others } = chooseTests();
  const stepsOf = (name, project, files) =>
    files.length === 0 ? [] : [vitest(name, ['--project', project, ...files])];
  const isPassed = await runChecks({
    tests: stepsOf('tests of changed files', 'node', node),
    pageTests: stepsOf('browser tests of changed files', 'web', web),
  });
  if (others > 0) say(`${others} other test files depend on the changes: "npm test" runs them.`);
  process.exitCode = isPassed ? 0 : 1;
}
