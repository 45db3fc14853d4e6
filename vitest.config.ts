import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/**/*.test.ts', 'apps/**/*.test.ts', 'scripts/**/*.test.ts'],
    setupFiles: ['scripts/property-runs.ts'],
    globalSetup: ['scripts/build-before-tests.mjs'],
    // Property tests and child processes share two cores with everything else; a slow machine is not a failure.
    // Many tests wait for processes and disks: two workers on two cores.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
