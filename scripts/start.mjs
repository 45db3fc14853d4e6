/**
 * `npm start`: the product, with nothing configured: the local server and its page. On a fresh store the bundled
 * create-story-micro runs at once on a copy of the demo project, driven by the built-in rehearsal.
 */
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { build, cliEntry } from './build.mjs';
import { root, runNode, setUp } from './set-up.mjs';

setUp();
await build();
const project = join(root, 'demo-project');
// What somebody made there stays.
if (!existsSync(project)) cpSync(join(root, 'examples', 'demo-project'), project, { recursive: true });
// The server ends in order at Ctrl-C, and says so; we wait for it.
process.on('SIGINT', () => undefined);
process.exitCode = runNode([cliEntry, 'serve', '--sample', project, ...process.argv.slice(2)]);
