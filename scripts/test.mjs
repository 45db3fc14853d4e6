/**
 * `npm test`: all checks and tests.
 */
import { build } from './build.mjs';
import { runEverything } from './check.mjs';
import { planPageTests } from './find-chromium.mjs';
import { ensureChromium } from './install-chromium.mjs';
import { fail, setUp } from './set-up.mjs';

setUp();
await ensureChromium();
const plan = planPageTests();
if (plan.kind === 'fail') fail(plan.sentence);
await build();
process.exitCode = (await runEverything()) ? 0 : 1;
