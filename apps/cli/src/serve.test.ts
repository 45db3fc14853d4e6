import { access, chmod, cp, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiClient, createApiClient } from '@crewagent/protocol/api/client';
import type { WorkMessage } from '@crewagent/protocol/api/work-messages';
import { describe, expect, it } from 'vitest';
import { startFakeProvider } from '../../../packages/core/src/testing/models/fake-provider.ts';
import { textReply } from '../../../packages/core/src/testing/models/provider-replies.ts';
import { attach, type CliRig, createCliRig } from './testing/cli-rig.ts';
import { ROOT, type Running } from './testing/running-command.ts';

const HELLO_BRANCH = join(ROOT, 'examples/hello-branch');

type Serving = Running & { readonly client: ApiClient; readonly url: string };

const serve = (rig: CliRig, ...args: string[]): Promise<Serving> => connect(rig.start('serve', ...args));

/** The server in a child process. */
const spawnServer = (rig: CliRig, ...args: string[]): Promise<Serving> =>
  connect(rig.spawn('serve', ...args));

async function connect(running: Running): Promise<Serving> {
  await running.printed('#token=');
  const [, url = '', token = ''] = /(http:\S+)\/#token=(\S+)/.exec(running.out()) ?? [];
  return { ...running, url, client: createApiClient({ baseUrl: url, token }) };
}

async function until(
  stream: AsyncGenerator<WorkMessage, void>,
  fits: (message: WorkMessage) => boolean,
): Promise<void> {
  for await (const message of stream) if (fits(message)) return;
}

const isPhase = (phase: string) => (message: WorkMessage) =>
  message.type === 'event' && message.data.type === 'phase.changed' && message.data.phase === phase;

describe('crewagent serve', () => {
  it('[H52] prints the address, serves, and shuts down cleanly', async () => {
    const rig = await createCliRig();
    const server = await spawnServer(rig, '--no-open');
    expect(await server.client.system.show()).toMatchObject({ name: 'crewagent' });
    const second = await rig.run('serve', '--no-open', '--port', '1');
    expect(second).toMatchObject({ code: 0 });
    expect(second.out).toContain(`already running at ${server.url}`);
    server.kill('SIGINT');
    const ended = await server.ended;
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.err).toContain('Stopping');
    await expect(access(join(rig.store, 'server.json'))).rejects.toThrow('ENOENT');
  });

  it('[H52] opens a browser without exposing the token in the process list', async () => {
    const rig = await createCliRig({ OPENAI_API_KEY: 'sk-secret', DISPLAY: ':9' });
    const argsFile = join(rig.folder, 'args');
    const opener = join(rig.folder, 'xdg-open');
    await writeFile(
      opener,
      `#!/bin/sh\n{ echo "$@"; /usr/bin/env; } > "${argsFile}.part"; /bin/mv "${argsFile}.part" "${argsFile}"\n`,
    );
    await chmod(opener, 0o755);
    rig.env.PATH = rig.folder;
    const server = await spawnServer(rig);
    await expect.poll(() => readFile(argsFile, 'utf8').catch(() => ''), { timeout: 20_000 }).not.toBe('');
    const text = await readFile(argsFile, 'utf8');
    const [file = ''] = text.split('\n');
    expect(text).not.toMatch(/token|sk-secret/);
    expect(await readFile(file, 'utf8')).toContain(`${server.url}/#token=`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    server.kill('SIGTERM');
    await server.ended;
    await expect(access(file)).rejects.toThrow('ENOENT');
  });

  it('[G1] opens an app window with a profile in the store, on the same port as before', async () => {
    const rig = await createCliRig({ OPENAI_API_KEY: 'sk-secret', DISPLAY: ':9' });
    const seen = join(rig.folder, 'seen');
    const browser = join(rig.folder, 'browser');
    await writeFile(
      browser,
      `#!/bin/sh\n{ echo "$@"; /usr/bin/env; } > "${seen}.part"; /bin/mv "${seen}.part" "${seen}"\n`,
    );
    await chmod(browser, 0o755);
    rig.env.CREWAGENT_CHROMIUM = browser;
    const first = await spawnServer(rig, '--app');
    await expect.poll(() => readFile(seen, 'utf8').catch(() => '')).not.toBe('');
    const text = await readFile(seen, 'utf8');
    expect(text).toContain(`--user-data-dir=${join(rig.store, 'window/profile')}`);
    expect(text).not.toMatch(/token|sk-secret/);
    const [, page = ''] = /--app=(\S+)/.exec(text) ?? [];
    const door = new URL(page);
    expect(await readFile(door, 'utf8')).toMatch(/\/#token=[^"]+&amp;surface=electron"/);
    expect((await stat(door)).mode & 0o777).toBe(0o600);
    // The port is written after the window opens.
    await expect.poll(() => readFile(join(rig.store, 'window.json'), 'utf8').catch(() => '')).not.toBe('');
    first.kill('SIGTERM');
    await first.ended;
    await expect(access(door)).rejects.toThrow('ENOENT');
    const second = await spawnServer(rig, '--app');
    expect(second.url).toBe(first.url);
  });

  it('[G1] reports in one line that no browser was found, and serves', async () => {
    const rig = await createCliRig({ DISPLAY: ':9', PATH: '/nowhere', CREWAGENT_CHROMIUM: '' });
    const server = await serve(rig, '--app');
    await server.printed('  with the token');
    expect(await server.client.system.show()).toMatchObject({ name: 'crewagent' });
    await expect.poll(() => server.out()).toMatch(/open the address in (?:a|any) browser\./);
    const refused = await rig.run('serve', '--app', '--no-open');
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.err).toContain('--app and --no-open cannot be combined');
  });

  it('[H22] includes the examples with the same hash as packing them', async () => {
    const rig = await createCliRig();
    const { client } = await serve(rig, '--no-open');
    const { examples } = await client.packages.examples();
    const methods =
      'meeting-decisions product-brief research-brief contract-review hiring-scorecard incident-report';
    expect(examples.map(({ example }) => example)).toEqual([
      ...methods.split(' ').flatMap((name) => [name, `${name}-zh`]),
      'create-story-micro',
      'create-story-micro-zh',
      'hello-branch',
      'hello-branch-zh',
      'multi-workflows',
      'package-author',
      'package-author-zh',
      'supper-plan',
    ]);
    const imported = await client.packages.importPath({ body: { path: HELLO_BRANCH } });
    expect(await client.packages.installExample({ example: 'hello-branch' })).toMatchObject({
      alreadyInstalled: true,
      package: { hash: imported.package.hash },
    });
  });

  it('[H52] reports in one line why it cannot start', async () => {
    const rig = await createCliRig();
    const { url } = await serve(rig, '--no-open');
    const other = await createCliRig();
    const taken = await other.run('serve', '--no-open', '--port', new URL(url).port);
    expect(taken).toMatchObject({ code: 2, out: '' });
    expect(taken.err.trim().split('\n')).toHaveLength(1);
    expect(taken.err).toContain('is in use');
    expect(await other.run('serve', '--host', '0.0.0.0', '--no-open')).toMatchObject({ code: 2 });
    expect(await other.run('serve', '--port', '99999')).toMatchObject({ code: 2 });
  });

  it('[H52] rehearses the example once, for new users only', async () => {
    const rig = await createCliRig();
    await cp(join(ROOT, 'examples/demo-project'), rig.project, { recursive: true });
    const first = await serve(rig, '--no-open', '--sample', rig.project);
    await first.printed('Press Ctrl-C to stop the server.');
    const listRuns = async () => (await first.client.works.list()).works.filter(({ run }) => run);
    // The record of a run is written after its last event is sent.
    await expect
      .poll(listRuns, { timeout: 20_000 })
      .toMatchObject([{ phase: 'Completed', run: { model: { kind: 'rehearsal' } } }]);
    const runs = await listRuns();
    first.kill('SIGINT');
    const { out } = await first.ended;
    expect(out).toContain('6/6');
    expect(out).toContain(`/w/${runs[0]?.parentId}#token=`);
    const second = await serve(rig, '--no-open', '--sample', rig.project);
    expect((await second.client.works.list()).works.filter(({ run }) => run)).toHaveLength(1);
    second.kill('SIGINT');
    expect((await second.ended).out).not.toContain('6/6');
  });

  it('[H52] rehearses the example of the user’s language', async () => {
    const rig = await createCliRig({ LC_ALL: 'zh_CN.UTF-8' });
    await cp(join(ROOT, 'examples/demo-project'), rig.project, { recursive: true });
    const server = await serve(rig, '--no-open', '--sample', rig.project);
    await server.printed('✓ 已完成。');
    const { works } = await server.client.works.list();
    expect(works.find(({ run }) => run)?.run).toMatchObject({ package: { name: 'create-story-micro-zh' } });
    server.kill('SIGINT');
    await server.ended;
  });

  it('[H52] serves even if the example cannot be run', async () => {
    const rig = await createCliRig();
    const server = await serve(rig, '--no-open', '--sample', join(rig.folder, 'nowhere'));
    await expect
      .poll(() => server.client.system.show(), { timeout: 20_000 })
      .toMatchObject({ name: 'crewagent' });
    server.kill('SIGINT');
    const { code, err } = await server.ended;
    expect(code).toBe(0);
    expect(err).toContain('The example cannot be run');
  });

  it('[H52] finds a run that was interrupted by a kill, and completes it', async () => {
    const rig = await createCliRig();
    const provider = attach(
      await startFakeProvider((_, index) =>
        index === 0 ? { isHeadless: true, ending: 'hang' } : textReply('On we go.'),
      ),
    );
    const first = await spawnServer(rig, '--no-open');
    const { projectId } = await first.client.projects.open({ body: { path: rig.project } });
    const imported = await first.client.packages.importPath({ body: { path: HELLO_BRANCH } });
    const settings = { baseUrl: provider.url, model: 'scripted' };
    await first.client.models.put({ name: 'scripted', body: { settings } });
    const body = { projectId, kind: 'run', packageHash: imported.package.hash, model: 'scripted' } as const;
    const { workId } = await first.client.works.create({ body });
    await expect.poll(() => provider.requests.length, { timeout: 20_000 }).toBe(1);
    first.kill('SIGKILL');
    await first.ended;

    const second = await serve(rig, '--no-open');
    const { works } = await second.client.works.list();
    expect(works).toMatchObject([{ workId, phase: 'WaitingUser', reason: { code: 'interrupted' } }]);
    const { view } = await second.client.works.show({ workId });
    const asking = until(
      second.client.works.events({ workId }, { lastEventId: String(view.lastSeq) }),
      isPhase('WaitingUser'),
    );
    await second.client.works.resume({ workId, body: {} });
    await asking;
    expect(provider.requests).toHaveLength(2);

    const { view: waiting } = await second.client.works.show({ workId });
    const asked = until(
      second.client.works.events({ workId }, { lastEventId: String(waiting.lastSeq) }),
      isPhase('WaitingUser'),
    );
    await second.client.works.resume({ workId, body: { model: 'rehearsal' } });
    await asked;
    const { pending, lastSeq } = (await second.client.works.show({ workId })).view;
    const done = until(
      second.client.works.events({ workId }, { lastEventId: String(lastSeq) }),
      isPhase('Completed'),
    );
    const answers = { projectName: 'Nova', goal: 'Ship', existing: 'nothing' };
    await second.client.works.answer({ workId, body: { callId: pending?.callId ?? '', answers } });
    await done;
    // The command line sees it at once, or soon after.
    await expect
      .poll(async () => (await rig.run('show', workId)).out, { timeout: 20_000 })
      .toContain('hello-branch');
    second.kill('SIGTERM');
    expect(await second.ended).toMatchObject({ code: 0 });
  });

  it('[H52] finds a conversation that was interrupted by a kill, and continues it', async () => {
    const rig = await createCliRig();
    const provider = attach(
      await startFakeProvider((_, index) =>
        index === 0 ? { isHeadless: true, ending: 'hang' } : textReply('Here I am.'),
      ),
    );
    const first = await spawnServer(rig, '--no-open');
    const body = await prepareThread(first.client, rig, provider.url);
    const { workId } = await first.client.works.create({ body });
    await first.client.works.input({ workId, body: { text: 'are you there, Nora?' } });
    await expect.poll(() => provider.requests.length, { timeout: 20_000 }).toBe(1);
    first.kill('SIGKILL');
    await first.ended;

    const { client } = await serve(rig, '--no-open');
    const stream = client.works.events({ workId });
    const { value: snapshot } = await stream.next();
    expect(snapshot).toMatchObject({
      type: 'snapshot',
      data: { view: { phase: 'WaitingUser', reason: { code: 'interrupted' } } },
    });
    expect((await client.works.list()).works).toMatchObject([
      { workId, title: 'are you there, Nora?', reason: { code: 'interrupted' } },
    ]);
    await client.works.resume({ workId, body: {} });
    await until(stream, isPhase('WaitingUser'));
    const { view } = await client.works.show({ workId });
    expect(view.timeline.filter(({ kind }) => kind === 'reply')).toMatchObject([{ text: 'Here I am.' }]);
    expect(view.timeline.filter(({ kind }) => kind === 'person')).toHaveLength(1);
  });

  it('[H52] follows a conversation open in the command line, reports that, and can stop it', async () => {
    const rig = await createCliRig();
    const provider = attach(await startFakeProvider(() => ({ isHeadless: true, ending: 'hang' })));
    const { client } = await serve(rig, '--no-open');
    const body = await prepareThread(client, rig, provider.url);
    const { workId } = await client.works.create({ body });
    // It would be released slightly later anyway.
    await client.projects.close({ projectId: body.projectId });
    const stream = client.works.events({ workId });
    await stream.next();
    const command = rig.spawn(
      'agent',
      HELLO_BRANCH,
      '--continue',
      workId,
      '-p',
      'project',
      '-i',
      'hello, you there',
    );
    await until(stream, isPhase('Running'));
    await expect(client.works.input({ workId, body: { text: 'me, too' } })).rejects.toMatchObject({
      code: 'RUN_LOCKED',
      message: expect.stringContaining('is working on this conversation') as string,
    });
    await client.works.stop({ workId });
    await until(stream, isPhase('WaitingUser'));
    await command.ended;
    expect(await client.works.input({ workId, body: { text: '/help' } })).toMatchObject({
      mode: 'agent',
    });
  });

  it('[G60] a browser, a window and the command line share a conversation without losing or repeating anything', async () => {
    const rig = await createCliRig();
    const provider = attach(await startFakeProvider(() => textReply('Heard.')));
    const { client: browser, url } = await serve(rig, '--no-open');
    const { token } = JSON.parse(await readFile(join(rig.store, 'server.json'), 'utf8')) as { token: string };
    const window = createApiClient({ baseUrl: url, token, surface: 'electron' });
    const body = await prepareThread(browser, rig, provider.url);
    const { workId } = await browser.works.create({ body });
    const said = ['words from the browser', 'words from the window', 'words from the terminal'] as const;
    await Promise.all([
      browser.works.input({ workId, body: { text: said[0] } }),
      window.works.input({ workId, body: { text: said[1] } }),
    ]);
    const isIdle = async () => (await window.works.show({ workId })).work.phase === 'WaitingUser';
    await expect.poll(isIdle, { timeout: 20_000 }).toBe(true);
    await browser.projects.close({ projectId: body.projectId });
    const command = await rig.run(
      'agent',
      HELLO_BRANCH,
      '--continue',
      workId,
      '-p',
      'project',
      '-i',
      said[2],
    );
    expect(command.code).toBe(0);
    const personLines = async (client: ApiClient) =>
      (await client.works.show({ workId })).view.timeline.flatMap((item) =>
        item.kind === 'person' ? [item.text] : [],
      );
    await expect.poll(() => personLines(browser), { timeout: 20_000 }).toHaveLength(3);
    expect((await personLines(browser)).sort()).toEqual([...said].sort());
    expect(await personLines(window)).toEqual(await personLines(browser));
    const { events } = await browser.works.log({ workId, query: {} });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  });

  it('[G60] a question that a browser, a window and the command line answer at once has one answer, and all see the same events', async () => {
    const rig = await createCliRig();
    const { client: browser, url } = await serve(rig, '--no-open');
    const { token } = JSON.parse(await readFile(join(rig.store, 'server.json'), 'utf8')) as { token: string };
    const window = createApiClient({ baseUrl: url, token, surface: 'electron' });
    const { projectId } = await browser.projects.open({ body: { path: rig.project } });
    const { package: installed } = await browser.packages.importPath({ body: { path: HELLO_BRANCH } });
    const body = { projectId, kind: 'workflow', packageHash: installed.hash, model: 'rehearsal' } as const;
    const { workId } = await browser.works.create({ body });
    const runOf = async () => Object.values((await browser.works.show({ workId })).runs).at(-1);
    const runId = (await runOf())?.runId ?? '';
    const stopFollowing = new AbortController();
    const seen = [browser, window].map((client) => follow(client, runId, stopFollowing.signal));
    let answered = 0;
    for (;;) {
      await expect
        .poll(async () => (await browser.works.show({ workId })).work.phase, { timeout: 20_000 })
        .not.toBe('Running');
      const pending = (await runOf())?.pending;
      if (pending?.kind !== 'question') break;
      const { callId, questions } = pending;
      const answers = Object.fromEntries(questions.map(({ id }) => [id, 'an answer']));
      const given = await Promise.allSettled([
        browser.works.answer({ workId, body: { callId, answers } }),
        window.works.answer({ workId, body: { callId, answers } }),
        rig.run('answer', runId, 'an answer').then(({ code, err }) => {
          if (code !== 0) throw new Error(err);
        }),
      ]);
      answered++;
      expect(given.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(1);
    }
    expect(answered).toBeGreaterThan(0);
    const { events } = await browser.works.log({ workId: runId, query: {} });
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type === 'question.answered')).toHaveLength(
      types.filter((type) => type === 'question.asked').length,
    );
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const last = events.length;
    await expect.poll(() => seen.map((numbers) => numbers.at(-1))).toEqual([last, last]);
    stopFollowing.abort();
    // From the snapshot on, none is missing and none comes twice.
    for (const numbers of seen)
      expect(numbers).toEqual(events.slice(events.length - numbers.length).map(({ seq }) => seq));
  });
});

/** A conversation with the first agent of an example, and a fake provider. */
async function prepareThread(client: ApiClient, rig: CliRig, baseUrl: string) {
  const { projectId } = await client.projects.open({ body: { path: rig.project } });
  const imported = await client.packages.importPath({ body: { path: HELLO_BRANCH } });
  await client.models.put({ name: 'scripted', body: { settings: { baseUrl, model: 'scripted' } } });
  return { projectId, packageHash: imported.package.hash, kind: 'agent', model: 'scripted' } as const;
}

/** The numbers of the stored events of a run, as a client receives them. */
function follow(client: ApiClient, workId: string, signal: AbortSignal): number[] {
  const seen: number[] = [];
  const read = async (): Promise<void> => {
    for await (const message of client.works.events({ workId }, { signal }))
      if (message.type === 'event' && !message.data.type.endsWith('.delta')) seen.push(message.data.seq);
  };
  void read().catch(() => undefined);
  return seen;
}
