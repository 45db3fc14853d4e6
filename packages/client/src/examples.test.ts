import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildClient } from '../../../scripts/build-client.mjs';
import { textReply, toolCallReply } from '../../core/src/testing/models/provider-replies.ts';
import {
  ANSWERS,
  addScriptedModel,
  HELLO_BRANCH,
  type LiveServer,
  startTestServer,
} from '../../server/src/testing/server-rig.ts';

let folder = '';

/** As it is installed. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crewagent-test-'));
  await buildClient(join(folder, 'node_modules/@crewagent/client'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function run({ url, token }: LiveServer, example: string, args: readonly string[], env: object = {}) {
  const file = join(folder, 'node_modules/@crewagent/client/examples', example);
  const connection = { CREWAGENT_URL: url, CREWAGENT_TOKEN: token, CREWAGENT_MODEL: 'rehearsal' };
  const child = spawn(process.execPath, [file, ...args], { env: { ...process.env, ...connection, ...env } });
  onTestFinished(() => void child.kill());
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const result = Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { child, result };
}

async function openInbox() {
  const posts: { text: string; sheet: { visits: unknown[]; isProved: boolean } }[] = [];
  const inbox = createServer((request, response) => {
    void text(request).then((body) => {
      posts.push(JSON.parse(body) as (typeof posts)[number]);
      response.end();
    });
  });
  await new Promise<void>((resolve) => inbox.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void inbox.close());
  const { port } = inbox.address() as { port: number };
  return { posts, url: `http://127.0.0.1:${port}/hook` };
}

describe('the examples of the packed client', () => {
  it('[O50] the main entry is one file that a browser can load', async () => {
    const client = join(folder, 'node_modules/@crewagent/client');
    const code = await readFile(join(client, 'index.js'), 'utf8');
    expect(code).not.toMatch(/^import |\brequire\(|\bimport\(/m);
    expect((await readdir(client)).filter((name) => name.endsWith('.js'))).toEqual(['index.js', 'local.js']);
    expect(await readFile(join(client, 'THIRD-PARTY.txt'), 'utf8')).toContain('zod');
  });

  it('[O50] a CI job posts the evidence sheet, and fails unless the run is proved', async () => {
    const server = await startTestServer();
    const { posts, url } = await openInbox();
    const answers = join(folder, 'answers.json');
    await writeFile(answers, JSON.stringify(ANSWERS));
    const env = { POST_TO: url };
    const [code, printed, errors] = await run(
      server,
      'ci-evidence.mjs',
      [HELLO_BRANCH, server.project, answers],
      env,
    ).result;
    expect(errors).toBe('');
    expect(printed).toMatch(/^Completed: (not )?proved, run [0-9a-f-]{36}\n$/);
    expect(posts).toHaveLength(1);
    expect(posts[0]?.sheet.visits.length).toBeGreaterThan(2);
    expect(code).toBe(posts[0]?.sheet.isProved ? 0 : 1);
    const [failed, , reason] = await run(server, 'ci-evidence.mjs', ['/nowhere.bmad', server.project], env)
      .result;
    expect([failed, reason]).toEqual([1, expect.stringContaining('nowhere.bmad')]);
  });

  it('[O50] a chat bot passes on messages, questions and approvals', async () => {
    const server = await startTestServer();
    const write = { name: 'fs_write', arguments: { path: '@project/README.md', content: 'changed' } };
    const question = { questions: [{ id: 'name', type: 'text', prompt: 'Which name?' }] };
    await addScriptedModel(server.client, [
      textReply('Hello.'),
      toolCallReply([{ name: 'ui_ask_user', arguments: question }]),
      toolCallReply([write]),
      textReply('Done.'),
    ]);
    const { child, result } = run(server, 'chat-bot.mjs', [server.project], { CREWAGENT_MODEL: 'scripted' });
    child.stdin.end('Hi\nAsk me\nNova\nyes\n');
    const [code, printed, errors] = await result;
    expect([code, errors]).toEqual([0, '']);
    expect(printed).toMatch(/^Hello\.\n\? Which name\?\n[\s\S]*\+changed[\s\S]*\? Approve [^\n]*\nDone\.\n$/);
    expect(await readFile(join(server.project, 'README.md'), 'utf8')).toBe('changed');
  });

  it('[O50] a spreadsheet is filled row by row, quotes and lines included', async () => {
    const server = await startTestServer();
    const [input, output] = [join(folder, 'in.csv'), join(folder, 'out.csv')];
    await writeFile(input, 'projectName,goal,existing\nNova,"Ship ""it"",\nsoon",nothing\r\nOrion,Learn,\n');
    const [code, , errors] = await run(server, 'fill-spreadsheet.mjs', [
      input,
      output,
      HELLO_BRANCH,
      server.project,
    ]).result;
    expect([code, errors]).toEqual([0, '']);
    const filled = await readFile(output, 'utf8');
    expect(filled).toMatch(
      /^"projectName","goal","existing","phase","proved","result"\r\n"Nova","Ship ""it"",\nsoon","nothing","Completed","(?:true|false)","[\s\S]+"\r\n"Orion","Learn","","Completed","(?:true|false)","[\s\S]+"\r\n$/,
    );
  });
});
