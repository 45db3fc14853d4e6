/**
 * Runs a TypeScript file of this repository: bundles it, then starts Node on the result.
 */
import { basename, join } from 'node:path';
import { build } from './build.mjs';
import { fail, root, runNode, setUp } from './set-up.mjs';

const [file, ...args] = process.argv.slice(2);
if (!file) fail('Usage: node scripts/run-ts.mjs FILE [ARGS]');
setUp();
await build();
const { bundle } = await import('./bundle.mjs');
const name = basename(file, '.ts');
const dir = join(root, '.cache', 'run', name);
await bundle({ [name]: file }, dir);
process.exitCode = runNode([...process.execArgv, join(dir, `${name}.js`), ...args]);
