/**
 * How much a property test tries: so many cases, or as many as begin within half a second. On a busy machine it tries fewer
 * and still passes; `npm run test:crash` gives each a minute.
 */
import {
  configureGlobal,
  installGlobalPlugin,
  type Plugin,
  PreconditionFailure,
  readConfigureGlobal,
} from 'fast-check';

const isWhole = process.env.CREWAGENT_CRASH === 'all';

// Files that share a process share fast-check.
if (readConfigureGlobal()?.numRuns === undefined) {
  configureGlobal({ numRuns: isWhole ? 1_000 : 100 });
  installGlobalPlugin(beginWithin(isWhole ? 60_000 : 500));
}

/** `interruptAfterTimeLimit` would leave a case running that is under way; here it is the last one. */
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
