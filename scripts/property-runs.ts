/**
 * How much a property test tries: so many cases, or as many as fit into some seconds. On a busy machine it tries fewer and
 * still passes; `npm run test:crash` gives each a minute.
 */
import { configureGlobal } from 'fast-check';

const isWhole = process.env.CREWAGENT_CRASH === 'all';

configureGlobal({
  numRuns: isWhole ? 1_000 : 100,
  interruptAfterTimeLimit: isWhole ? 60_000 : 2_000,
});
