import { defineConfig } from 'vitest/config';
import { findChromium } from './scripts/find-chromium.mjs';

const hasBrowser = findChromium() !== undefined;
if (!hasBrowser) console.error('SKIPPED: the tests of the web UI need Chromium or Chrome; none was found.');

/** The product is built once, before the first test that starts it. */
const built = { globalSetup: ['scripts/build-before-tests.mjs'] };
/** Property tests, child processes and browsers share two cores; a slow machine is not a failure. */
const patient = { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 20_000 } } };

export default defineConfig({
  test: {
    // Many tests wait for processes and disks: two workers on two cores.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          ...patient,
          globalSetup: [...built.globalSetup, 'scripts/build-drivers.mjs'],
          // No test changes what modules share, so files need not load them anew: half the time of the whole.
          isolate: false,
          name: 'node',
          include: ['packages/**/*.test.ts', 'apps/**/*.test.ts', 'scripts/**/*.test.ts'],
          setupFiles: ['scripts/property-runs.ts'],
        },
      },
      {
        // Whole journeys: the built server, a real browser, one file after the other.
        test: { ...built, ...patient, name: 'e2e', include: ['e2e/**/*.test.ts'], fileParallelism: false },
      },
      ...(hasBrowser ? ['apps/web/vitest.config.ts'] : []),
    ],
  },
});
