/**
 * A baseline: the minimal tool loop with fetch. Sends a request, reads the requested file, sends the result, until there is no call.
 * Arguments: base URL, project folder.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runLoop } from './run-loop.mjs';

const [url, project] = process.argv.slice(2);

await runLoop(url, async (_, path) => {
  const content = path.startsWith('@state')
    ? 'ok'
    : await readFile(join(project, path.replace('@project/', '')), 'utf8');
  return JSON.stringify({ ok: true, content });
});
