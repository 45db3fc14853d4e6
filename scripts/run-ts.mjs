/**
 * Runs a TypeScript file of this repository: bundles it, then starts Node on the result. `--built` builds the product before.
 */
import { basename, join } from 'node:path';
import { build } from './build.mjs';
import { fail, root, runNode, setUp } from './set-up.mjs';

const given = process.argv.slice(2);
const needsBuild = given[0] === '--built';
const [file, ...args] = needsBuild ? given.slice(1) : given;
if (!file) fail('Usage: node scripts/run-ts.mjs [--built] FILE [ARGS]');
setUp();
if (needsBuild) await build();
const { bundle } = await import('./bundle.mjs');
const name = basename(file, '.ts');
const dir = join(root, '.cache', 'run', name);
await bundle({ [name]: file }, dir);
process.exitCode = runNode([...process.execArgv, join(dir, `${name}.js`), ...args]);
