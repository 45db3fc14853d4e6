/** How many cases a property test tries: many when everything is tested, fewer in the inner loop. */
import { configureGlobal } from 'fast-check';

configureGlobal({ numRuns: process.env.CREWAGENT_THOROUGH ? 400 : 100 });
