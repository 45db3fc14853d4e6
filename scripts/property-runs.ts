/**
 * Limits property tests: a number of cases, or as many as start within half a second. On a busy machine fewer cases run;
 * `npm run test:crash` gives each test a minute.
 */
import {
  configureGlobal,
  installGlobalPlugin,
  type Plugin,
  PreconditionFailure,
  readConfigureGlobal,
} from 'fast-check';

const isWhole = process.env.CREWAGENT_CRASH === 'all';

// Test files in one process share fast-check.
if (readConfigureGlobal()?.numRuns === undefined) {
  configureGlobal({ numRuns: isWhole ? 1_000 : 100 });
  installGlobalPlugin(beginWithin(isWhole ? 60_000 : 500));
}

/** Lets the current case finish, unlike `interruptAfterTimeLimit`, which would leave it running. */
function beginWithin(limitMs: number): Plugin<unknown> {
  return () => {
    let endMs: number | undefined;
    return {
      decorateRun: (run) => (value) => {
        endMs ??= performance.now() + limitMs;
        return performance.now() < endMs ? run(value) : new PreconditionFailure(true);
      },
    };
  };
}
