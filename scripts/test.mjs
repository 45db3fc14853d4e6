/**
 * `npm test`: all checks and tests, and the main journeys. `npm run test:journeys`: the other journeys. Each journey takes seconds
 * in a browser, all of them as long as everything else.
 */
import { build } from './build.mjs';
import { runAllTests, runOtherJourneys } from './check.mjs';
import { planPageTests } from './find-chromium.mjs';
import { ensureBubblewrap } from './install-bubblewrap.mjs';
import { ensureChromium } from './install-chromium.mjs';
import { fail, setUp } from './set-up.mjs';

setUp();
await ensureChromium();
await ensureBubblewrap();
const plan = planPageTests();
if (plan.kind === 'fail') fail(plan.sentence);
await build();
const run = process.argv[2] === 'journeys' ? runOtherJourneys : runAllTests;
process.exitCode = (await run()) ? 0 : 1;
