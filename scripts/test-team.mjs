/**
 * `npm run test:team`: Works of a team while workers are killed and frozen, lose the database, and the database restarts. 40 Works, two
 * minutes; `CREWAGENT_CHAOS=1000` for more.
 */
import { build } from './build.mjs';
import { runTool, setUp } from './set-up.mjs';

setUp();
await build();
process.exitCode = runTool('vitest', ['run', '--project', 'node', 'packages/team/src/chaos.test.ts'], {
  env: { ...process.env, CREWAGENT_CHAOS: process.env.CREWAGENT_CHAOS ?? '40' },
});
