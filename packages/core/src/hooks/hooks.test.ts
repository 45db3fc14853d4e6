import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Hook, hookSchema } from '@crewagent/protocol/hooks';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import type { Policies } from '../policy/loaded-policy.ts';
import { hasSandbox } from '../testing/require-sandbox.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { processesWith } from '../testing/views.ts';
import { signatureOf } from './call-http-hook.ts';
import { parseHookOutput } from './hook-output.ts';
import { resolveHooks } from './resolve-hooks.ts';
import { runHook } from './run-hook.ts';
import { sampleInput } from './work-hooks.ts';

const INPUT = sampleInput('node.before-leave', new Date(0));

async function call(hook: object, more: { env?: Record<string, string>; policies?: Policies } = {}) {
  const root = await tempFolder();
  const project = join(root, 'project');
  await mkdir(project);
  const parts = {
    project,
    viewsFolder: join(root, 'views'),
    isSecret: createSecretCheck(),
    env: more.env ?? {},
    policies: more.policies ?? [],
    signal: new AbortController().signal,
  };
  const parsed = hookSchema.parse({ on: ['node.before-leave'], ...hook });
  return { end: await runHook(parsed, INPUT, parts), project };
}

/** A program without a sandbox. */
const program = (code: string, more: object = {}) =>
  call({ command: process.execPath, args: ['-e', code], sandbox: 'off', ...more });

describe('the output of a hook', () => {
  it('[O34] is bounded and of known form, or a failure, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.record({ deny: fc.json(), message: fc.string() }).map((value) => JSON.stringify(value)),
        ),
        (text) => {
          const end = parseHookOutput(text);
          if (end.ok)
            for (const said of [end.deny, end.message])
              expect((said ?? '').length).toBeLessThanOrEqual(1_000);
          else expect(end.error).toMatch(/^(its output|"\w+" of its output)/);
        },
      ),
    );
    expect(parseHookOutput('{"deny":"No.","message":"a\\u001b[31mb"}')).toMatchObject({
      ok: true,
      deny: 'No.',
    });
    expect(parseHookOutput('{"deny":true}')).toMatchObject({ deny: 'it gave no reason' });
    expect(parseHookOutput('{"deny":""}')).toMatchObject({ deny: 'it gave no reason' });
    expect(parseHookOutput('{"approve":true}')).toEqual({ ok: true, deny: undefined, message: undefined });
  });
});

describe('a hook that is a program', () => {
  it('[O34] gets JSON on its input and a minimal environment, and answers JSON', async () => {
    process.env.CREWAGENT_TEST_SECRET = 'a-secret';
    onTestFinished(() => {
      delete process.env.CREWAGENT_TEST_SECRET;
    });
    const { end } = await program(
      `let text = ''; process.stdin.on('data', (part) => (text += part)).on('end', () => {
        const { event, node } = JSON.parse(text);
        console.log(JSON.stringify({ message: [event, node.id, String(process.env.CREWAGENT_TEST_SECRET)].join(' ') }));
      });`,
    );
    expect(end).toMatchObject({ ok: true, message: 'node.before-leave step-01 undefined' });
  });

  it.each([
    ['too much', 'for (;;) process.stdout.write("x".repeat(65536))', 'it wrote too much'],
    ['too much on stderr', 'for (;;) process.stderr.write("x".repeat(65536))', 'it wrote too much'],
    ['nothing, for ever', 'setInterval(() => {}, 1000)', 'it took longer than 1 seconds'],
    ['something else', 'console.log("fine")', 'its output is not JSON'],
    ['an error', 'console.error("boom"); process.exit(3)', 'it ended with exit code 3: boom'],
  ])('[O34] fails if it writes %s', async (_, code, error) => {
    expect((await program(code, { timeoutSeconds: error.includes('longer') ? 1 : 60 })).end).toEqual({
      ok: false,
      error,
    });
  });

  it('[O34] fails if it does not exist', async () => {
    const { end } = await call({ command: '/does/not/exist', sandbox: 'off' });
    expect(end).toMatchObject({ ok: false });
  });

  it('[O34] leaves no process behind', async () => {
    const mark = `hook-${process.pid}-${Date.now()}`;
    const { end } = await program(
      `const { spawn } = require('node:child_process');
       spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', '${mark}'], { detached: true, stdio: 'ignore' }).unref();
       console.log('{}');`,
    );
    expect(end).toMatchObject({ ok: true });
    expect(processesWith(mark)).toEqual([]);
  });

  it.runIf(hasSandbox)('[O34] runs in a view of the project: what it changes is dropped', async () => {
    const { end, project } = await call({
      command: '/bin/sh',
      args: ['-c', `echo x > made.txt; echo '{"message":"made"}'`],
      timeoutSeconds: 60,
    });
    expect(end).toMatchObject({ ok: true, message: 'made' });
    expect(existsSync(join(project, 'made.txt'))).toBe(false);
  });

  it.runIf(!hasSandbox)('[O34] does not run where there is no sandbox, unless a person says so', async () => {
    const { end } = await call({ command: '/bin/sh', args: ['-c', 'true'] });
    expect(end).toMatchObject({ ok: false, error: expect.stringContaining('there is no sandbox') as string });
  });
});

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function listen(answer: (response: ServerResponse, count: number) => void) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      answer(response, received.length);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

const json = (value: object) => (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));

describe('a hook that is an address', () => {
  it('[O34] gets JSON with a signature of its secret', async () => {
    const { received, url } = await listen(json({ deny: 'Not yet.' }));
    const { end } = await call({ url, secretEnv: 'HOOK_SECRET' }, { env: { HOOK_SECRET: 's3cret' } });
    expect(end).toMatchObject({ ok: true, deny: 'Not yet.' });
    const [{ headers, body } = { headers: {}, body: '' }] = received;
    expect(JSON.parse(body)).toEqual(JSON.parse(JSON.stringify(INPUT)));
    const signature = String(headers['x-crewagent-signature']);
    const [, seconds] = /^t=(\d+),/.exec(signature) ?? [];
    expect(signature).toBe(signatureOf(body, 's3cret', Number(seconds)));
    expect((await call({ url, secretEnv: 'HOOK_SECRET' })).end).toMatchObject({
      error: 'the environment variable HOOK_SECRET with its secret is not set',
    });
  });

  it('[O34] is tried three times at most, and never where it redirects to', async () => {
    const busy = await listen((response) => void response.writeHead(503).end());
    expect((await call({ url: busy.url })).end).toEqual({ ok: false, error: 'it answered with status 503' });
    expect(busy.received).toHaveLength(3);
    const other = await listen(json({}));
    const redirecting = await listen(
      (response) => void response.writeHead(307, { location: other.url }).end(),
    );
    expect((await call({ url: redirecting.url })).end).toMatchObject({ ok: false });
    expect([redirecting.received.length, other.received.length]).toEqual([1, 0]);
    const again = await listen((response, count) =>
      count < 2 ? void response.writeHead(500).end() : json({})(response),
    );
    expect((await call({ url: again.url })).end).toMatchObject({ ok: true });
  });

  it('[O34] fails if its answer is too long, too slow or not for us', async () => {
    const long = await listen((response) => void response.end('x'.repeat(1_000_000)));
    expect((await call({ url: long.url })).end).toEqual({ ok: false, error: 'it answered with too much' });
    const slow = await listen((response) => void response.write('{'));
    expect((await call({ url: slow.url, timeoutSeconds: 1 })).end).toMatchObject({
      error: 'it took longer than 1 seconds',
    });
    const wrong = await listen((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{');
    });
    expect((await call({ url: wrong.url })).end).toMatchObject({ error: 'its output is not JSON' });
    expect((await call({ url: 'http://192.0.2.1/x' })).end).toMatchObject({
      error: 'its address does not start with https://',
    });
  });

  it('[O34] is one that the policy allows', async () => {
    const { received, url } = await listen(json({}));
    const policies: Policies = [
      { place: '/p', policy: { schemaVersion: 1, addresses: ['hooks.acme.example'] } },
    ];
    const { end } = await call({ url }, { policies });
    expect(end).toMatchObject({ ok: false, error: expect.stringContaining('rule "addresses"') as string });
    expect(received).toEqual([]);
  });
});

describe('the hooks that hold', () => {
  const hook: Hook = hookSchema.parse({ on: ['run.ended'], url: 'https://a.example/x' });
  const policy = (hooks: object): Policies => [{ place: '/p', policy: { schemaVersion: 1, hooks } }];

  it('[O35] are those of the person, unless a policy forbids them, and those that it requires', () => {
    const names = (policies: Policies) => resolveHooks({ own: hook }, policies).map(({ name }) => name);
    expect(names([])).toEqual(['own']);
    expect(names(policy({ enabled: false }))).toEqual([]);
    expect(names(policy({ enabled: false, required: { audit: hook } }))).toEqual(['audit']);
    expect(resolveHooks({ own: { ...hook, enabled: false } }, [])).toEqual([]);
  });
});

describe('the recipes of docs/hooks.md', async () => {
  const text = await readFile(join(import.meta.dirname, '../../../../docs/hooks.md'), 'utf8');
  const blocks = [...text.matchAll(/<!-- (\w+) -->\n```\w+\n([\s\S]*?)```/g)].map(
    ([, name = '', block = '']) => [name, block] as const,
  );

  it.each(blocks.filter(([name]) => name !== 'mail'))(
    '[O36] %s is what the service takes',
    async (name, body) => {
      const { received, url } = await listen((response) => void response.end('ok'));
      expect((await call({ url, body })).end).toEqual({ ok: true });
      const sent = JSON.parse(received[0]?.body ?? '') as Record<string, unknown>;
      if (name === 'slack') expect(sent).toEqual({ text: INPUT.summary });
      else
        expect(sent).toMatchObject({
          type: 'message',
          attachments: [
            {
              contentType: 'application/vnd.microsoft.card.adaptive',
              content: { type: 'AdaptiveCard', body: [{ type: 'TextBlock', text: INPUT.summary }] },
            },
          ],
        });
    },
  );

  it('[O36] mail is sent through a relay', async () => {
    const { createServer: createRelay } = await import('node:net');
    const lines: string[] = [];
    const relay = createRelay((socket) => {
      socket.write('220 relay\r\n');
      let isData = false;
      let rest = '';
      socket.on('data', (part) => {
        rest += part.toString();
        for (let at = rest.indexOf('\r\n'); at !== -1; at = rest.indexOf('\r\n')) {
          const line = rest.slice(0, at);
          rest = rest.slice(at + 2);
          lines.push(line);
          if (isData && line !== '.') continue;
          isData = line === 'DATA';
          socket.write(isData ? '354 go on\r\n' : line === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n');
        }
      });
    });
    await new Promise<void>((done) => relay.listen(0, '127.0.0.1', done));
    onTestFinished(() => void relay.close());
    const script = blocks.find(([name]) => name === 'mail')?.[1] ?? '';
    const { port } = relay.address() as AddressInfo;
    const { end } = await call({
      command: process.execPath,
      args: [
        '--input-type=module',
        '-e',
        script,
        '127.0.0.1',
        String(port),
        'crew@acme.example',
        'ada@acme.example',
      ],
      sandbox: 'off',
      timeoutSeconds: 60,
    });
    expect(end).toEqual({ ok: true });
    expect(lines).toEqual(
      expect.arrayContaining(['MAIL FROM:<crew@acme.example>', 'RCPT TO:<ada@acme.example>', 'QUIT']),
    );
    expect(lines.join('\n')).toContain(INPUT.summary);
  });
});
