/**
 * `npm run test:crash`: kills a run at every single moment and looks whether it comes to the same end. Takes a while.
 */
import { build } from './build.mjs';
import { runTool, setUp } from './set-up.mjs';

setUp();
await build();
process.exitCode = runTool('vitest', ['run', 'crash'], { env: { ...process.env, CREWAGENT_CRASH: 'all' } });
