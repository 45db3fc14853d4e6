/**
 * The number and the seed of the cases of property tests: fixed, so that a test means the same on a fast and on a busy machine, and
 * fails because of a change, not by chance (decision 96). A test that needs more or fewer cases says so itself. `npm run
 * test:crash` runs as many more as start within a minute, each time with a new seed.
 */
import {
  configureGlobal,
  installGlobalPlugin,
  type Plugin,
  PreconditionFailure,
  readConfigureGlobal,
} from 'fast-check';

const CASES = 100;
const SEED = 20_261;
const MINUTE_MS = 60_000;
const isWhole = process.env.CREWAGENT_CRASH === 'all';

// Test files in one process share fast-check.
if (readConfigureGlobal()?.numRuns === undefined) {
  configureGlobal(isWhole ? { numRuns: 10 * CASES } : { numRuns: CASES, seed: SEED });
  if (isWhole) installGlobalPlugin(endAfter(CASES, MINUTE_MS));
}

/**
 * Starts no further case after the time, but never fewer than `cases`. Lets the current case finish, unlike
 * `interruptAfterTimeLimit`, which would leave it running.
 */
function endAfter(cases: number, limitMs: number): Plugin<unknown> {
  return () => {
    const endMs = performance.now() + limitMs;
    let started = 0;
    return {
      decorateRun: (run) => (value) =>
        started++ < cases || performance.now() < endMs ? run(value) : new PreconditionFailure(true),
    };
  };
}
