/**
 * `npm test`: everything that guards the project, with more cases in the property tests than `npm run check`.
 */
import { build } from './build.mjs';
import { runChecks } from './check.mjs';
import { planPageTests } from './find-chromium.mjs';
import { ensureChromium } from './install-chromium.mjs';
import { fail, setUp } from './set-up.mjs';

setUp();
await ensureChromium();
const plan = planPageTests();
if (plan.kind === 'fail') fail(plan.sentence);
await build();
process.exitCode = runChecks({ CREWAGENT_THOROUGH: '1' }) ? 0 : 1;
