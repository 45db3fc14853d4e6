/**
 * `npm run test:crash`: kills a run and a talk at every single moment and looks whether they come to the same end. Takes a while.
 */
import { build } from './build.mjs';
import { runTool, setUp } from './set-up.mjs';

setUp();
await build();
process.exitCode = runTool('vitest', ['run', 'crash', 'surviving-talk'], {
  env: { ...process.env, CREWAGENT_CRASH: 'all' },
});
