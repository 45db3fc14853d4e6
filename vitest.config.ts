import { defineConfig } from 'vitest/config';
import { threadSource } from './scripts/bundle.mjs';
import { planPageTests } from './scripts/find-chromium.mjs';

const plan = planPageTests();
// `npm run check` prints the message once, at its end.
if (plan.kind === 'skip' && !process.env.CREWAGENT_SKIP_SAID) console.error(plan.sentence);

/** The product is built once, before the first test that starts it. */
const BUILD = 'scripts/build-before-tests.mjs';
const POSTGRES = 'scripts/postgres-for-tests.mjs';
/** Property tests, child processes and browsers share two cores; a slow machine is not a failure. */
const patient = { testTimeout: 180_000, hookTimeout: 180_000, expect: { poll: { timeout: 60_000 } } };

/** End-to-end tests: the built server, a real browser. */
const journeys = {
  test: {
    ...patient,
    // A journey is as long as a person's: on a busy machine some take minutes.
    testTimeout: 300_000,
    name: 'e2e',
    globalSetup: ['scripts/require-chromium.mjs', BUILD, POSTGRES],
    include: ['e2e/**/*.test.ts'],
    setupFiles: ['e2e/close-pages.ts'],
    tags: [{ name: 'main', description: 'Journeys of `npm test`: one or more for each promise to users.' }],
    // Two files at once, each process with its own browser.
    maxWorkers: 2,
    isolate: false,
  },
};

/** Projects without tests, so that `--project` accepts their names. */
function skipped(...names: readonly string[]) {
  return names.map((name) => ({ test: { name, include: [] } }));
}

export default defineConfig({
  test: {
    passWithNoTests: plan.kind === 'skip',
    // Many tests wait for processes and disks: two workers on two cores.
    maxWorkers: '100%',
    reporters: ['default', './scripts/failed-tests.mjs'],
    // Modules are transformed once, not once per run: a fifth of the CPU time of a few files.
    experimental: { fsModuleCache: true, fsModuleCachePath: '.cache/vitest' },
    projects: [
      {
        plugins: [threadSource],
        test: {
          ...patient,
          globalSetup: [BUILD, 'scripts/build-drivers.mjs', POSTGRES],
          // No test changes module state, so files can share loaded modules, which halves the total time.
          isolate: false,
          // Node's line editor reads it, also for the terminals that tests simulate.
          env: { TERM: 'xterm-256color' },
          name: 'node',
          include: ['packages/**/*.test.ts', 'apps/**/*.test.ts', 'scripts/**/*.test.ts'],
          setupFiles: ['scripts/property-runs.ts', 'scripts/closed-files.ts'],
        },
      },
      ...(plan.kind === 'skip' ? skipped('e2e', 'web') : [journeys, 'apps/web/vitest.config.ts']),
    ],
  },
});
