/**
 * `npm run format`: formats the sources and applies safe fixes.
 */
import { runTool, setUp } from './set-up.mjs';

setUp();
process.exitCode = runTool('@biomejs/biome', ['check', '--write', '.']);
