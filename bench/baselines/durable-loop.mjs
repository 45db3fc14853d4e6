/**
 * A durable baseline: the bare loop with path checks, a log line for every call, and state patches that are synced to disk
 * before the result is sent. Arguments: base URL, project folder, state folder.
 */
import { appendFileSync, openSync } from 'node:fs';
import { open, readFile, realpath, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { runLoop } from './run-loop.mjs';

const [url, project, state] = process.argv.slice(2);
const root = await realpath(project);
const log = openSync(join(state, 'audit.jsonl'), 'a');

await runLoop(url, async (call, path) => {
  const content = path.startsWith('@state') ? await patchState() : await readChecked(path);
  const result = JSON.stringify({ ok: true, content });
  appendFileSync(log, `${JSON.stringify({ at: new Date().toISOString(), call, bytes: result.length })}\n`);
  return result;
});

async function readChecked(path) {
  const file = await realpath(join(root, path.replace('@project/', '')));
  if (!file.startsWith(`${root}/`)) throw new Error('outside');
  return readFile(file, 'utf8');
}

async function patchState() {
  const temp = join(state, 'workflow.md.tmp');
  const handle = await open(temp, 'w');
  await handle.writeFile('x'.repeat(2_000));
  await handle.sync();
  await handle.close();
  await rename(temp, join(state, 'workflow.md'));
  const folder = await open(state, 'r');
  await folder.sync();
  await folder.close();
  return 'ok';
}
