/**
 * `npm start`: starts the local server and opens its page, without any configuration. With an empty store it also rehearses the
 * bundled create-story-micro on a copy of the demo project.
 */
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { build, cliEntry } from './build.mjs';
import { root, runNode, setUp } from './set-up.mjs';

setUp();
await build();
const project = join(root, 'demo-project');
// Existing files are kept.
if (!existsSync(project)) cpSync(join(root, 'examples', 'demo-project'), project, { recursive: true });
// The server shuts down cleanly on Ctrl-C; this process waits for it.
process.on('SIGINT', () => undefined);
process.exitCode = runNode([cliEntry, 'serve', '--sample', project, ...process.argv.slice(2)]);
