import { once } from 'node:events';
import { chmod, chown, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { createApiClient } from '@crewagent/protocol/api/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../../core/src/testing/temp-folder.ts';
import { type ServeOptions, startServer } from './serve.ts';
import { addScriptedModel, prepare, startTestServer } from './testing/server-rig.ts';

async function start(options: Partial<ServeOptions> & { storeRoot: string }) {
  const server = await startServer({ env: {}, ...options });
  onTestFinished(() => server.stop());
  return server;
}

const isAnswering = async (url: string, token: string): Promise<boolean> =>
  createApiClient({ baseUrl: url, token })
    .system.show()
    .then(
      () => true,
      () => false,
    );

describe('a second start', () => {
  it('[H52] finds the running server', async () => {
    const { root, url, token } = await startTestServer();
    const second = await start({ storeRoot: join(root, 'store'), port: 1 });
    expect(second).toMatchObject({ url, token, isOurs: false });
    await second.stop();
    expect(await isAnswering(url, token)).toBe(true);
  });

  it('[H52] at the same moment finds the server that started first', async () => {
    const storeRoot = await tempFolder();
    const servers = await Promise.all([1, 2, 3].map(() => start({ storeRoot })));
    expect(servers.filter(({ isOurs }) => isOurs)).toHaveLength(1);
    expect(new Set(servers.map(({ url }) => url)).size).toBe(1);
  });

  it('[H52] trusts nothing that a dead server left behind', async () => {
    const storeRoot = await tempFolder();
    const requests: string[] = [];
    const stranger = createServer((socket) => socket.on('data', (data) => requests.push(data.toString())));
    stranger.listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    onTestFinished(() => void stranger.close());
    const { port } = stranger.address() as AddressInfo;
    const left = {
      schemaVersion: 1,
      pid: process.pid,
      url: `http://127.0.0.1:${port}`,
      token: 'old',
      startedAt: new Date().toISOString(),
    };
    await writeFile(join(storeRoot, 'server.json'), JSON.stringify(left));
    const server = await start({ storeRoot });
    expect(server.isOurs).toBe(true);
    expect(requests).toEqual([]);
  });

  it('[H52] reads a record that only the owner can read', async () => {
    const { root, token } = await startTestServer();
    const file = join(root, 'store/server.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ token, pid: process.pid });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});

describe('a restart', () => {
  it('[H52] keeps address and token of the store, in a file for its owner alone', async () => {
    const storeRoot = await tempFolder();
    const first = await startServer({ env: {}, storeRoot });
    await first.stop();
    const file = join(storeRoot, 'server-token.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const second = await start({ storeRoot });
    expect(second).toMatchObject({ url: first.url, token: first.token });
    expect(await isAnswering(first.url, first.token)).toBe(true);
    await second.stop();
    expect(await start({ storeRoot, port: Number(new URL(first.url).port) })).toMatchObject({
      token: first.token,
    });
  });

  it('[H52] has a new token at another address, on request, and where others could read the old one', async () => {
    const storeRoot = await tempFolder();
    const restart = async (options: Partial<ServeOptions> = {}) => {
      const server = await startServer({ env: {}, storeRoot, ...options });
      await server.stop();
      return server;
    };
    const first = await restart();
    const stranger = createServer();
    stranger.listen(Number(new URL(first.url).port), '127.0.0.1');
    await once(stranger, 'listening');
    const second = await restart();
    stranger.close();
    expect(second.url).not.toBe(first.url);
    expect(second.token).not.toBe(first.token);
    const third = await restart({ isNewToken: true });
    expect(third.url).toBe(second.url);
    expect(third.token).not.toBe(second.token);
    expect((await restart()).token).toBe(third.token);
    await chmod(join(storeRoot, 'server-token.json'), 0o644);
    expect((await restart()).token).not.toBe(third.token);
    await writeFile(join(storeRoot, 'server-token.json'), '{"token":"');
    expect(await restart()).toMatchObject({ isOurs: true });
  });

  it('[H52] takes no new token while a server runs, or where a file holds it', async () => {
    const { root } = await startTestServer();
    const storeRoot = join(root, 'store');
    await expect(start({ storeRoot, isNewToken: true })).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    const tokenFile = join(root, 'token');
    await expect(
      start({ storeRoot: join(root, 'other'), isNewToken: true, tokenFile }),
    ).rejects.toMatchObject({ code: 'USAGE' });
  });
});

describe('the preferred port', () => {
  it('[G1] is used if it is free, else any free port', async () => {
    const first = await startServer({ env: {}, storeRoot: await tempFolder() });
    const preferredPort = Number(new URL(first.url).port);
    const other = await start({ storeRoot: await tempFolder(), preferredPort });
    expect(other.url).not.toBe(first.url);
    await first.stop();
    expect((await start({ storeRoot: await tempFolder(), preferredPort })).url).toBe(first.url);
  });
});

describe('a start that fails', () => {
  it('[H52] reports a port that is in use, and leaves nothing behind', async () => {
    const { port } = await startTestServer();
    const storeRoot = await tempFolder();
    await expect(start({ storeRoot, port })).rejects.toMatchObject({
      code: 'PORT_TAKEN',
      message: expect.stringContaining(`Port ${port} is in use`) as string,
    });
    expect(await readdir(storeRoot)).not.toContain('server.json');
    expect((await start({ storeRoot })).isOurs).toBe(true);
  });

  it('[H52] reports an address that does not exist', async () => {
    const root = await tempFolder();
    const options = { storeRoot: join(root, 's'), host: '203.0.113.7', tokenFile: join(root, 'token') };
    await expect(start(options)).rejects.toMatchObject({ code: 'PORT_TAKEN' });
  });

  it.skipIf(process.getuid?.() === 0)('[H52] reports a store that is not writable', async () => {
    const root = await tempFolder();
    await chmod(root, 0o500);
    onTestFinished(() => chmod(root, 0o700));
    await expect(start({ storeRoot: join(root, 'store') })).rejects.toMatchObject({ code: 'DISK' });
  });

  it.runIf(process.getuid?.() === 0)(
    '[A25] [H52] reports a store of another user, and leaves nothing in it',
    async () => {
      const storeRoot = await tempFolder();
      await chown(storeRoot, 65_534, 65_534);
      await expect(start({ storeRoot })).rejects.toMatchObject({
        code: 'STORE_REFUSED',
        message: `The store "${storeRoot}" belongs to another user; choose a folder of your own with CREWAGENT_HOME.`,
      });
      expect(await readdir(storeRoot)).toEqual([]);
    },
  );

  it('[H52] reports a store that is a file', async () => {
    const root = await tempFolder();
    await writeFile(join(root, 'store'), '');
    await expect(start({ storeRoot: join(root, 'store') })).rejects.toMatchObject({ code: 'DISK' });
  });
});

describe('the listen address', () => {
  it('[H1] must be loopback unless there is a token file', async () => {
    const root = await tempFolder();
    const storeRoot = join(root, 'store');
    expect(new URL((await start({ storeRoot })).url).hostname).toBe('127.0.0.1');
    for (const host of ['0.0.0.0', '::', '192.168.1.2', 'example.org'])
      await expect(start({ storeRoot: join(root, 'other'), host })).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('[H1] for all networks answers to the addresses of this machine only', async () => {
    const root = await tempFolder();
    const tokenFile = join(root, 'token');
    const server = await start({ storeRoot: join(root, 'store'), host: '0.0.0.0', tokenFile });
    expect(await isAnswering(server.url, server.token)).toBe(true);
    const port = new URL(server.url).port;
    expect(await isAnswering(`http://127.0.0.2:${port}`, server.token)).toBe(false);
  });

  it('[H1] uses a token file that is created for the owner and reused', async () => {
    const root = await tempFolder();
    const tokenFile = join(root, 'token');
    const first = await start({ storeRoot: join(root, 'store'), tokenFile });
    expect((await stat(tokenFile)).mode & 0o777).toBe(0o600);
    expect((await readFile(tokenFile, 'utf8')).trim()).toBe(first.token);
    await first.stop();
    expect((await start({ storeRoot: join(root, 'store'), tokenFile })).token).toBe(first.token);
  });

  it.each([
    ['other users can read', 'x'.repeat(40), 0o644],
    ['is short', 'secret', 0o600],
    ['is empty', '', 0o600],
    ['has two words', `${'x'.repeat(40)} y`, 0o600],
  ])('[H1] rejects a token file that %s', async (_, text, mode) => {
    const root = await tempFolder();
    const tokenFile = join(root, 'token');
    await writeFile(tokenFile, text, { mode });
    await chmod(tokenFile, mode);
    await expect(start({ storeRoot: join(root, 'store'), tokenFile })).rejects.toMatchObject({
      code: 'USAGE',
    });
  });
});

describe('stopping', () => {
  it('[H52] does not wait for connections that were opened in advance, as browsers do', async () => {
    const server = await startTestServer({ graceMs: 600_000 });
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    // Accepted after the other one.
    expect(await isAnswering(server.url, server.token)).toBe(true);
    const closed = once(socket, 'close');
    await server.stop();
    await closed;
  });

  it('[H52] stops runs, ends streams and releases the store', async () => {
    const server = await startTestServer();
    const { client, root, url, token } = server;
    await addScriptedModel(client, [{ isHeadless: true, ending: 'hang' }]);
    const ready = await prepare(server);
    const { workId } = await client.works.create({ body: { ...ready, kind: 'run', model: 'scripted' } });
    const controller = new AbortController();
    const seen: string[] = [];
    let isOpen: () => void = () => undefined;
    const open = new Promise<void>((resolve) => {
      isOpen = resolve;
    });
    const watching = (async () => {
      const options = { signal: controller.signal, onState: (state: string) => seen.push(state) };
      for await (const message of client.works.events({ workId }, options)) {
        isOpen();
        if (message.type === 'event' && message.data.type === 'phase.changed') seen.push(message.data.phase);
      }
    })();
    await open;
    await server.stop();
    await expect.poll(() => seen.slice(0, 3)).toEqual(['open', 'WaitingUser', 'broken']);
    expect(seen.filter((state) => state === 'open')).toHaveLength(1);
    controller.abort();
    await watching;
    expect(await isAnswering(url, token)).toBe(false);
    expect(await readdir(join(root, 'store'))).not.toContain('server.json');
    const next = await start({ storeRoot: join(root, 'store') });
    expect(next).toMatchObject({ isOurs: true, interrupted: 0 });
    const { work } = await createApiClient({ baseUrl: next.url, token: next.token }).works.show({ workId });
    expect(work).toMatchObject({ phase: 'WaitingUser', reason: { code: 'stopped' } });
  });
});
