/**
 * The number of cases of property tests: fixed, so that a test means the same on a fast and on a busy machine. A test that needs
 * more or fewer says so itself. `npm run test:crash` runs as many more as start within a minute.
 */
import {
  configureGlobal,
  installGlobalPlugin,
  type Plugin,
  PreconditionFailure,
  readConfigureGlobal,
} from 'fast-check';

const CASES = 100;
const MINUTE_MS = 60_000;
const isWhole = process.env.CREWAGENT_CRASH === 'all';

// Test files in one process share fast-check.
if (readConfigureGlobal()?.numRuns === undefined) {
  configureGlobal({ numRuns: isWhole ? 10 * CASES : CASES });
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
