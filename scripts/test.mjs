/**
 * `npm test`: everything that guards the project, with more cases in the property tests than `npm run check`.
 */
import { build } from './build.mjs';
import { runChecks } from './check.mjs';
import { ensureChromium } from './find-chromium.mjs';
import { setUp } from './set-up.mjs';

setUp();
await ensureChromium();
await build();
process.exitCode = runChecks({ CREWAGENT_THOROUGH: '1' }) ? 0 : 1;
