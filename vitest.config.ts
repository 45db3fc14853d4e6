import { defineConfig } from 'vitest/config';
import { findChromium } from './scripts/find-chromium.mjs';

const hasBrowser = findChromium() !== undefined;
if (!hasBrowser) console.error('SKIPPED: the tests of the web UI need Chromium or Chrome; none was found.');

export default defineConfig({
  test: {
    // Property tests and child processes share two cores with everything else; a slow machine is not a failure.
    // Many tests wait for processes and disks: two workers on two cores.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'node',
          include: ['packages/**/*.test.ts', 'apps/**/*.test.ts', 'scripts/**/*.test.ts'],
          setupFiles: ['scripts/property-runs.ts'],
          globalSetup: ['scripts/build-before-tests.mjs'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      ...(hasBrowser ? ['apps/web/vitest.config.ts'] : []),
    ],
  },
});
