/**
 * Compiles the program for this version of Node by running its usual commands, so that their first start on a machine is as fast as
 * later ones. A no-op if that was done.
 */
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNode } from './set-up.mjs';

const EXAMPLE = 'hello-branch';

/** `dist`: the folder of the built program. */
export async function compileCode(dist) {
  const version = `${process.version}-${process.arch}`;
  const compiled = join(dist, 'code', version);
  if (existsSync(compiled)) return;
  // Stays empty if the commands fail: the code only saves time.
  mkdirSync(compiled, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'crewagent-code-'));
  const [home, project] = [join(folder, 'home'), join(folder, 'project')];
  for (const path of [home, project]) mkdirSync(path, { mode: 0o700 });
  const model = await startModel();
  try {
    const example = join(dist, 'examples', `${EXAMPLE}.bmad`);
    // By the name of their code. Commands that are not listed begin with the code of the last one.
    const commands = {
      help: ['help', 'run'],
      validate: ['validate', example],
      runs: ['runs'],
      packages: ['packages', 'add', example],
      run: ['run', EXAMPLE, '--project', project, '--base-url', model.url, '--model', 'any', '--json'],
    };
    const env = { ...process.env, CREWAGENT_HOME: home };
    for (const [name, args] of Object.entries(commands)) {
      await startNode([join(dist, 'crewagent.js'), ...args], { env });
      const code = join(home, 'cache', 'code', version, name);
      // Not copied: code in the store is private, this may be read by all who may run the program.
      if (!existsSync(code)) continue;
      // Another build may have removed it meanwhile.
      mkdirSync(compiled, { recursive: true });
      writeFileSync(join(compiled, name), readFileSync(code));
    }
  } finally {
    model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Changes the state of the run, then says a word, at which the run waits for an answer. */
async function startModel() {
  const patch = {
    path: '@state/workflow.md',
    patches: [{ operation: 'updateFrontmatter', update: { variables: { set: { projectName: 'Any' } } } }],
  };
  const call = {
    index: 0,
    id: 'call-1',
    function: { name: 'fs_apply_patch', arguments: JSON.stringify(patch) },
  };
  const replies = [
    { delta: { role: 'assistant', tool_calls: [call] }, finish_reason: 'tool_calls' },
    { delta: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' },
  ];
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const reply = { choices: [{ index: 0, ...(replies.shift() ?? {}) }] };
    response.end(`data: ${JSON.stringify(reply)}\n\ndata: [DONE]\n\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() };
}
