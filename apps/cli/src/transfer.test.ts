import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TEAM_ENDPOINTS } from '@crewagent/protocol/api/accounts';
import type { CallsOf } from '@crewagent/protocol/api/client';
import type { RunEvent } from '@crewagent/protocol/events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sha256Of } from '../../../packages/core/src/base/sha256.ts';
import { sealLine } from '../../../packages/core/src/store/log-chain.ts';
import { writeTree } from '../../../packages/core/src/testing/file-tree.ts';
import { ANSWERS } from '../../../packages/server/src/testing/server-rig.ts';
import { spawnWorker } from '../../../packages/team/src/testing/worker-process.ts';
import { createCliRig } from './testing/cli-rig.ts';
import { type Shown, startRun, startTeam } from './testing/transfer-rig.ts';

describe('a run of a laptop', () => {
  it('[C17] goes on with the team, and back: the log, the state, its files and undo', async () => {
    const { database, url, projectId, ada, bugs } = await startTeam();
    await spawnWorker(database.url);
    const { rig, runId } = await startRun(ada.token);
    const pushed = await rig.run('push', runId, '--to', url, '--project', 'Plans', '--all-files', '--json');
    expect([pushed.code, pushed.err]).toEqual([0, '']);
    expect(JSON.parse(pushed.out)).toMatchObject({ workId: runId, isNew: true, conflicts: 0 });
    const again = await rig.run('push', runId, '--to', url, '--project', 'Plans', '--json');
    expect(JSON.parse(again.out)).toMatchObject({ isNew: false, sent: 1 });

    // Each server finds what the person may see, wherever it was said.
    const found = await ada.api.search.find({ query: { q: 'hello' } });
    expect(found.works.map(({ workId }) => workId)).toEqual([runId]);
    const { view } = await ada.api.works.show({ workId: runId });
    expect(view.pending?.kind).toBe('question');
    expect(await ada.api.files.read({ projectId, query: { path: '@project/own.txt' } })).toMatchObject({
      text: 'mine',
    });
    await ada.api.works.answer({
      workId: runId,
      body: { callId: view.pending?.callId ?? '', answers: ANSWERS },
    });
    await vi.waitFor(async () => expect((await ada.api.works.list({})).works[0]?.phase).toBe('Completed'), {
      timeout: 30_000,
    });
    await vi.waitFor(
      async () => {
        const { code, err } = await rig.run('pull', runId, '--from', url);
        expect([code, err]).toEqual([0, '']);
      },
      { timeout: 20_000, interval: 500 },
    );

    const shown = JSON.parse((await rig.run('show', runId, '--json')).out) as Shown;
    const remote = await ada.api.works.show({ workId: runId });
    expect(shown.record.phase).toBe('Completed');
    expect(shown.view.state).toEqual(remote.view.state);
    const { out: log } = await rig.run('show', runId, '--log', '--json');
    const types = log
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types.filter((type) => type === 'work.moved')).toHaveLength(2);
    expect((await rig.run('show', runId, '--log')).out).not.toContain('damaged');
    const written = (await readdir(rig.project, { recursive: true })).filter((name) => name.endsWith('.md'));
    expect(written.length).toBeGreaterThan(0);
    const undone = await rig.run('undo', runId, '--all');
    expect([undone.code, undone.err]).toEqual([0, '']);
    expect((await readdir(rig.project, { recursive: true })).filter((name) => name.endsWith('.md'))).toEqual(
      [],
    );
    expect(bugs).toEqual([]);
  });

  it('[C17] is sent on from where it was cut off, and says what to do without a server or a token', async () => {
    const { url, ada, bugs } = await startTeam();
    const { rig, runId } = await startRun(ada.token);
    await writeTree(
      rig.project,
      Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`notes/${i}.txt`, `${i}`])),
    );
    const proxy = await cutAfter(url, 6);
    const push = (to: string) =>
      rig.run('push', runId, '--to', to, '--project', 'Plans', '--all-files', '--json');
    const cut = await push(proxy);
    expect(cut.code).toBe(2);
    expect(cut.err).toContain('does not answer');
    const pushed = await push(url);
    const { sent, contents } = JSON.parse(pushed.out) as { sent: number; contents: number };
    expect(contents - sent).toBeGreaterThanOrEqual(6);

    const plain = await push('http://crew.example.com');
    expect([plain.code, plain.err]).toEqual([2, expect.stringContaining('https://')]);
    const without = await createCliRig({ CREWAGENT_HOME: rig.store, CREWAGENT_TOKEN: '' });
    const asked = await without.run('push', runId, '--to', url);
    expect([asked.code, asked.err]).toEqual([2, expect.stringContaining('CREWAGENT_TOKEN')]);
    const forged = await createCliRig({ CREWAGENT_HOME: rig.store, CREWAGENT_TOKEN: 'crew_forged' });
    const refused = await forged.run('push', runId, '--to', url);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('does not accept the token')]);
    for (const { out, err } of [cut, pushed, refused]) expect(out + err).not.toContain(ada.token);
    expect(bugs).toEqual([]);
  });

  it('[C17] that went on in both places is refused, as are files that were changed here', async () => {
    const { database, url, ada, bugs } = await startTeam();
    await spawnWorker(database.url);
    const { rig, runId } = await startRun(ada.token);
    const push = () => rig.run('push', runId, '--to', url, '--project', 'Plans');
    expect((await push()).code).toBe(0);
    const { view } = await ada.api.works.show({ workId: runId });
    const callId = view.pending?.callId ?? '';
    await ada.api.works.answer({ workId: runId, body: { callId, answers: ANSWERS } });
    await vi.waitFor(async () => expect((await ada.api.works.list({})).works[0]?.phase).toBe('Completed'), {
      timeout: 30_000,
    });
    const [artifact = ''] = (await ada.api.works.show({ workId: runId })).view.state.artifacts;
    const path = join(rig.project, artifact.replace('@project/', ''));
    await writeTree(rig.project, { [artifact.replace('@project/', '')]: 'my own' });
    const mine = await rig.run('pull', runId, '--from', url);
    expect([mine.code, mine.err]).toEqual([2, expect.stringContaining('Changed here')]);
    expect((await rig.run('show', runId, '--json')).out).toContain('WaitingUser');
    await rig.run('resume', runId, '--input', 'Nova', '--model', 'rehearsal', '--json');
    const diverged = await rig.run('pull', runId, '--from', url, '--keep-files');
    expect([diverged.code, diverged.err]).toEqual([2, expect.stringContaining('went on here')]);
    const pushed = await push();
    expect([pushed.code, pushed.err]).toEqual([2, expect.stringContaining('neither copy')]);
    await rig.run('runs', 'delete', runId, '--yes');
    const own = await readFile(path, 'utf8');
    const kept = await rig.run('pull', runId, '--from', url, '--keep-files', '--project', rig.project);
    expect([kept.code, kept.err]).toEqual([0, expect.stringContaining('Kept as they are here')]);
    expect(await readFile(path, 'utf8')).toBe(own);
    expect(bugs).toEqual([]);
  });
});

describe('push and pull', { timeout: 240_000 }, () => {
  it.each(['SIGINT', 'SIGKILL'] as const)(
    'leave the old run after %s while contents travel',
    async (signal) => {
      const { url, ada, bugs } = await startTeam();
      const { rig, runId } = await startRun(ada.token);
      const held = await holdContents(url);
      const stop = async (...args: string[]) => {
        const running = rig.spawn(...args);
        await held.next();
        running.kill(signal);
        return (await running.ended).code;
      };
      expect(await stop('push', runId, '--to', held.url, '--project', 'Plans')).toBeNull();
      expect((await ada.api.works.list({})).works).toEqual([]);
      expect((await rig.run('push', runId, '--to', url, '--project', 'Plans')).code).toBe(0);

      const other = await createCliRig({ CREWAGENT_TOKEN: ada.token });
      const running = other.spawn('pull', runId, '--from', held.url, '--project', other.project);
      await held.next();
      running.kill(signal);
      expect((await running.ended).code).toBeNull();
      expect((await other.run('show', runId)).code).toBe(2);
      // A part of the id is enough, as for other commands.
      for (const ref of ['00', 'ffffffff'])
        expect((await other.run('pull', ref, '--from', url)).err).toContain(`No run matches "${ref}"`);
      const pulled = await other.run('pull', runId.slice(-8), '--from', url, '--project', other.project);
      expect([pulled.code, pulled.err]).toEqual([0, '']);
      expect((await other.run('show', runId)).code).toBe(0);
      expect(bugs).toEqual([]);
    },
  );
});

describe('a team server that gets a run', () => {
  it('[H1] takes it only from people who may run, and contents only from who has them', async () => {
    const { url, projectId, ada, join: add, give, bugs } = await startTeam();
    const [ben, eve] = [await add('ben'), await add('eve')];
    await give(ben.personId, 'view');
    const { rig, runId } = await startRun(ben.token);
    const push = (...args: string[]) => rig.run('push', runId, '--to', url, ...args);
    const asViewer = await push('--project', 'Plans');
    expect([asViewer.code, asViewer.err]).toEqual([2, expect.stringContaining('role "manage"')]);
    expect((await push('--project', 'Nowhere')).err).toContain('no project "Nowhere"');
    await give(ben.personId, 'manage');
    expect((await push('--project', 'Plans', '--all-files')).code).toBe(0);

    const transfer = await ben.team.transfers.show({ workId: runId, query: { all: 'true' } });
    const secret = transfer.others[0]?.sha256 ?? '';
    await expect(eve.team.transfers.show({ workId: runId, query: {} })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const other = await createProject(url, eve);
    await expect(
      eve.team.transfers.missing({ projectId: other, body: { hashes: [secret] } }),
    ).resolves.toEqual({
      missing: [secret],
    });
    await expect(
      eve.team.transfers.send({ projectId: other, hash: secret, body: Buffer.from('something else') }),
    ).rejects.toMatchObject({ code: 'TRANSFER_REFUSED' });
    // A Work of her own names its project, not those of others.
    const own = await eve.api.works.create({ body: { projectId: other, kind: 'chat', model: 'rehearsal' } });
    await expect(eve.team.transfers.content({ workId: own.workId, hash: secret })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const body = Buffer.from(JSON.stringify({ ...transfer, packages: [] }));
    const hash = sha256Of(body);
    await eve.team.transfers.send({ projectId: other, hash, body });
    await expect(
      eve.team.transfers.receive({ projectId: other, body: { transfer: hash } }),
    ).rejects.toMatchObject({
      code: 'TRANSFER_REFUSED',
      message: expect.stringContaining('have not arrived') as string,
    });
    expect(ada.personId).not.toBe(eve.personId);
    expect(projectId).not.toBe(other);
    expect(bugs).toEqual([]);
  });

  it('[H1] refuses a log that was changed, paths that lead elsewhere, and approvals that were not used', async () => {
    const { url, projectId, ada, bugs } = await startTeam();
    const { rig, runId } = await startRun(ada.token);
    await rig.run('push', runId, '--to', url, '--project', 'Plans');
    const transfer = await ada.team.transfers.show({ workId: runId, query: {} });
    const [work] = transfer.works;
    if (!work) throw new Error('there is a Work');
    const send = async (content: Buffer): Promise<string> => {
      const hash = sha256Of(content);
      await ada.team.transfers.send({ projectId, hash, body: content });
      return hash;
    };
    const receive = async (changed: Partial<typeof work>) => {
      const description = { ...transfer, packages: [], works: [{ ...work, ...changed }] };
      const hash = await send(Buffer.from(JSON.stringify(description)));
      return ada.team.transfers.receive({ projectId, body: { transfer: hash } });
    };
    const response = await ada.team.transfers.content({ workId: runId, hash: work.log[0] ?? '' });
    const log = await response.text();
    const changed = await send(Buffer.from(log.replace('"phase":"WaitingUser"', '"phase":"Completed"')));
    await expect(receive({ log: [changed] })).rejects.toMatchObject({
      code: 'TRANSFER_REFUSED',
      message: expect.stringContaining('its log was changed at event') as string,
    });
    for (const path of ['../x', '/x', 'a/../../x', 'a\\..\\x', '.hidden', 'con'])
      await expect(receive({ state: { [path]: changed } })).rejects.toMatchObject({
        code: 'TRANSFER_REFUSED',
      });
    const events = log
      .trimEnd()
      .split('\n')
      .map((line) => omitHash(JSON.parse(line) as RunEvent));
    const approved = [...events, { ...events[0], seq: events.length + 1, ...APPROVED } as RunEvent];
    const sealed = await send(Buffer.from(sealAll(approved)));
    await expect(receive({ log: [sealed], lastSeq: approved.length })).rejects.toMatchObject({
      message: expect.stringContaining('in the middle of a turn') as string,
    });
    expect(bugs).toEqual([]);
  });
});

const APPROVED = {
  ...{ type: 'approval.resolved', callId: 'c', tool: 'shell.run', path: 'x', decision: 'once' },
};

function omitHash({ hash: _, ...event }: RunEvent & { hash?: string }): RunEvent {
  return event as RunEvent;
}

function sealAll(events: readonly RunEvent[]): string {
  let last = '';
  return events
    .map((event) => {
      const known = ['v', 'seq', 'ts', 'runId', ...Object.keys(APPROVED)];
      const own =
        event.seq === events.length
          ? Object.fromEntries(known.map((key) => [key, event[key as 'seq']]))
          : event;
      const { text, hash } = sealLine(own as RunEvent, last);
      last = hash;
      return text;
    })
    .join('');
}

async function createProject(url: string, { session }: { session: Promise<CallsOf<typeof TEAM_ENDPOINTS>> }) {
  const { teamProjects } = await session;
  expect(url).not.toBe('');
  return (await teamProjects.create({ body: { name: 'Own', source: { kind: 'upload' } } })).projectId;
}

/** A proxy that never answers requests with contents; `next` resolves with the next of them. */
async function holdContents(url: string) {
  const waiting: (() => void)[] = [];
  const proxied = await startProxy(url, (incoming) => {
    const isContent = /\/transfers?\/contents\//.test(incoming.url ?? '');
    if (isContent) waiting.shift()?.();
    return !isContent;
  });
  return { url: proxied, next: () => new Promise<void>((resolve) => waiting.push(resolve)) };
}

/** The address of a proxy that cuts every connection after some contents have passed. */
async function cutAfter(url: string, contents: number): Promise<string> {
  let passed = 0;
  return startProxy(url, (incoming) => {
    const isCut = incoming.method === 'PUT' && ++passed > contents;
    if (isCut) incoming.socket.destroy();
    return !isCut;
  });
}

/** Requests for which `passes` is false get no answer. */
async function startProxy(url: string, passes: (incoming: IncomingMessage) => boolean): Promise<string> {
  const proxy = createServer((incoming, outgoing) => {
    if (!passes(incoming)) return;
    const { host: _, ...headers } = incoming.headers;
    const target = request(new URL(incoming.url ?? '', url), {
      method: incoming.method,
      headers: { ...headers, origin: url },
    });
    target.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(target);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}
