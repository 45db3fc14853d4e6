/**
 * `npm run format`: mends what a machine can mend.
 */
import { runTool, setUp } from './set-up.mjs';

setUp();
process.exitCode = runTool('@biomejs/biome', ['check', '--write', '.']);
