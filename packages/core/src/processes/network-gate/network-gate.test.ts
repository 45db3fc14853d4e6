import { once } from 'node:events';
import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGateRig, PUBLIC } from '../../testing/rigs/gate-rig.ts';
import { tempFolder, writeTree } from '../../testing/temp-folder.ts';

const get = (url: string, ...headers: readonly string[]): string =>
  `${[`GET ${url} HTTP/1.1`, 'Host: example.org', ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`;

const tunnel = (authority: string): string => `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;

const statusOf = (answer: string): string => answer.split(' ')[1] ?? '';

describe('a network gate', () => {
  it('[T150] forwards requests for allowed names to the address that was checked, and tunnels', async () => {
    const { send, dialed, arrived, gate } = await createGateRig();
    expect(await send(get('http://example.org/a?b=1'))).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[\s\S]*answer to \/a\?b=1/,
    );
    expect(await send(get('http://a.b.cdn.example'))).toMatch(/answer to \//);
    expect(await send(tunnel('git.example:8443') + get('/inside'))).toMatch(
      /^HTTP\/1\.1 200 Connection Established\r\n\r\nHTTP\/1\.1 200 OK\r\n[\s\S]*answer to \/inside/,
    );
    expect(dialed).toEqual([`${PUBLIC}:80`, `${PUBLIC}:80`, `${PUBLIC}:8443`]);
    expect(arrived.map(({ url }) => url)).toEqual(['/a?b=1', '/', '/inside']);
    expect(gate.refused()).toEqual([]);
  });

  it('[T150] refuses other names and ports with a sentence for the person, and records them', async () => {
    const { send, gate, dialed } = await createGateRig();
    const answer = await send(tunnel('evil.example:443'));
    expect(statusOf(answer)).toBe('403');
    expect(answer).toContain(
      'evil.example is not allowed. A person can allow it: crewagent shell allow-host evil.example',
    );
    for (const authority of ['example.org:22', 'cdn.example:443', 'git.example:443', 'notexample.org:443'])
      expect(statusOf(await send(tunnel(authority)))).toBe('403');
    expect(await send(get('http://evil.example/'))).toMatch(/^HTTP\/1\.1 403/);
    expect(gate.refused()).toEqual([
      'evil.example',
      'example.org:22',
      'cdn.example',
      'git.example',
      'notexample.org',
    ]);
    expect(dialed).toEqual([]);
  });

  it('[T150] refuses an allowed name with a private address, also if another address is public', async () => {
    const resolve = () =>
      Promise.resolve([
        { address: PUBLIC, family: 4 },
        { address: '127.0.0.1', family: 4 },
      ]);
    const { send, dialed } = await createGateRig({ resolve });
    expect(await send(tunnel('example.org:443'))).toMatch(/^HTTP\/1\.1 403[\s\S]*never reachable/);
    for (const address of [
      '10.0.0.1',
      '169.254.169.254',
      '::1',
      '::ffff:10.0.0.1',
      'fe80::1%eth0',
      'fd00::1',
    ]) {
      const rig = await createGateRig({ addresses: { 'example.org': address } });
      expect(statusOf(await rig.send(get('http://example.org/')))).toBe('403');
      expect(rig.dialed).toEqual([]);
    }
    expect(dialed).toEqual([]);
  });

  it('[T150] asks for the addresses of a name once, and connects to these', async () => {
    const answers = [PUBLIC, '127.0.0.1'];
    const resolve = () => Promise.resolve([{ address: answers.shift() ?? '', family: 4 }]);
    const { send, dialed } = await createGateRig({ resolve });
    expect(statusOf(await send(tunnel('example.org:443') + get('/')))).toBe('200');
    expect(dialed).toEqual([`${PUBLIC}:443`]);
    expect(answers).toEqual(['127.0.0.1']);
  });

  it('[T150] takes names only, and an upper case name or one with a dot at its end as the same name', async () => {
    const { send, dialed, gate } = await createGateRig({ hosts: ['example.org', 'xn--bcher-kva.example'] });
    const spellings =
      `127.0.0.1:443 2130706433:443 0x7f000001:443 0177.0.0.1:443 127.1:443 [::1]:443 [::ffff:127.0.0.1]:80
      localhost:443 ${PUBLIC}:443 [fe80::1%25eth0]:443 user@example.org:443 example.org example.org: example.org:0
      example.org:65979 example.org:+443 example.org:443:443 example..org:443 .example.org:443 example.org%00.evil:443
      bücher.example:443 example.org\\@evil:443 -example.org:443 example.org..:443`.split(/\s+/);
    const answers = await Promise.all(spellings.map((authority) => send(tunnel(authority))));
    expect(answers.map(statusOf).filter((status) => status !== '403' && status !== '400')).toEqual([]);
    for (const raw of ['example.org\0.evil:443', 'example.org:443\nX: y', 'example.org\r:443'])
      expect(statusOf(await send(`CONNECT ${raw} HTTP/1.1\r\n\r\n`))).toMatch(/^(400|403)$/);
    for (const url of [
      'http://example.org@evil.example/',
      'http://evil.example#example.org',
      'http://example.org:22/',
    ])
      expect(statusOf(await send(get(url)))).toMatch(/^(400|403)$/);
    expect(dialed).toEqual([]);
    expect(gate.refused()).toContain('127.0.0.1:443');
    for (const same of ['EXAMPLE.org:443', 'example.org.:443', 'XN--BCHER-kva.example:443'])
      expect(statusOf(await send(tunnel(same) + get('/')))).toBe('200');
  });

  it('[T150] writes a request anew: the checked host, and no headers of the proxy or the connection', async () => {
    const { send, arrived } = await createGateRig();
    await send(
      get(
        'http://example.org/x',
        'Host: evil.example',
        'Proxy-Authorization: Basic c2VjcmV0',
        'Proxy-Connection: keep-alive',
        'X-Hop: 1',
        'Connection: X-Hop',
        'Cookie: a=1',
        'Upgrade: h2c',
      ).replace('Host: example.org\r\n', ''),
    );
    expect(arrived[0]?.rawHeaders).toEqual(['host', 'example.org', 'Cookie', 'a=1', 'connection', 'close']);
  });

  it('[T150] does not let one request hide another', async () => {
    const { send, arrived, dialed } = await createGateRig();
    const hidden = get('http://evil.example/hidden');
    const post = (...headers: readonly string[]): string =>
      `POST http://example.org/p HTTP/1.1\r\nHost: example.org\r\n${headers.join('\r\n')}\r\n\r\n`;
    const both = post('Content-Length: 4', 'Transfer-Encoding: chunked');
    expect(statusOf(await send(`${both}0\r\n\r\n${hidden}`))).toBe('400');
    expect(statusOf(await send(post('Content-Length: 4', 'Content-Length: 5') + hidden))).toBe('400');
    expect(statusOf(await send(post('Transfer-Encoding: xchunked') + hidden))).toBe('400');
    expect(statusOf(await send(post('Content-Length: 0', 'A: b\nGET / HTTP/1.1') + hidden))).toBe('400');
    expect(arrived.map(({ url }) => url).filter((url) => url !== '/p')).toEqual([]);
    const chunked = get('http://example.org/g', 'Transfer-Encoding: chunked');
    await send(`${chunked}${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`);
    expect(arrived.at(-1)).toMatchObject({ method: 'GET', url: '/g', body: hidden });
    // Two requests in one connection are two requests.
    const answers = await send(get('http://example.org/1').replace('close', 'keep-alive') + hidden);
    expect(answers).toMatch(/answer to \/1[\s\S]*HTTP\/1\.1 403/);
    expect(dialed.every((address) => address === `${PUBLIC}:80`)).toBe(true);
  });

  it('[T150] returns a redirect, and refuses the host it leads to', async () => {
    const { send } = await createGateRig();
    const [, location = ''] = /location: (\S+)/i.exec(await send(get('http://example.org/redirect'))) ?? [];
    expect(statusOf(await send(get(location)))).toBe('403');
  });

  it('[T150] bounds headers, slow requests, silence and the number of connections', async () => {
    const { send } = await createGateRig({ limits: { headerMs: 100, idleMs: 300, connections: 20 } });
    expect(statusOf(await send(get('http://example.org/', `X: ${'x'.repeat(20_000)}`)))).toBe('431');
    // Headers that never end; a request whose body never comes; a tunnel in which nothing happens.
    expect(await send('GET http://example.org/ HTTP/1.1\r\nHost:')).toMatch(/^(HTTP\/1\.1 408|$)/);
    await send('POST http://example.org/ HTTP/1.1\r\nHost: example.org\r\nContent-Length: 10\r\n\r\n');
    expect(await send(tunnel('example.org:443'))).toBe('HTTP/1.1 200 Connection Established\r\n\r\n');
  });

  it('[T150] accepts a bounded number of 10,000 connections, and the next one when they are gone', async () => {
    const { gate, send } = await createGateRig({ limits: { connections: 20 } });
    const open = new Set<ReturnType<typeof connect>>();
    let ended = 0;
    for (let batch = 0; batch < 100; batch++)
      await Promise.all(
        Array.from(
          { length: 100 },
          () =>
            new Promise<void>((resolve) => {
              const socket = connect(gate.socketPath);
              open.add(socket);
              socket
                .on('error', () => undefined)
                .once('close', () => {
                  open.delete(socket);
                  ended++;
                  resolve();
                });
              socket.once('connect', () => resolve()).resume();
            }),
        ),
      );
    await expect.poll(() => ended).toBe(9_980);
    for (const socket of open) socket.destroy();
    await expect.poll(async () => statusOf(await send(get('http://example.org/')))).toBe('200');
  });

  it('[T150] bounds connections to servers, also if one client sends many requests at once', async () => {
    const waiting = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void waiting.close());
    await once(waiting, 'listening');
    const { port } = waiting.address() as AddressInfo;
    let dialed = 0;
    const dial = () => {
      dialed++;
      return connect(port, '127.0.0.1');
    };
    const { send } = await createGateRig({ dial, limits: { connections: 20, idleMs: 500 } });
    const many = get('http://example.org/').replace('close', 'keep-alive').repeat(200);
    await send(many);
    expect(dialed).toBe(20);
  });

  it.each([
    'HTTP/1.1 000 x\r\n\r\n',
    'HTTP/1.1 999 \x7f\x01\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    'HTTP/1.1 200 OK\r\nA\x01: b\r\n\r\n',
    'HTTP/1.1 200 OK\r\nA: \x01\x02\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab',
    `HTTP/1.1 200 OK\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`,
    'nothing at all',
    '',
  ])('[T150] a server that answers %j ends its request only', async (raw) => {
    const { send } = await createGateRig({ limits: { headerBytes: 100_000 } });
    expect(await send(get(`http://example.org/raw?${encodeURIComponent(raw)}`))).toMatch(/^(HTTP\/1\.1 |$)/);
    expect(statusOf(await send(get('http://example.org/')))).toBe('200');
  });

  it('[T150] allows the registries of the project, too', async () => {
    const project = await tempFolder();
    await writeTree(project, { 'Cargo.toml': '' });
    const { send } = await createGateRig({ project });
    expect(statusOf(await send(tunnel('static.crates.io:443') + get('/')))).toBe('200');
    expect(statusOf(await send(tunnel('registry.npmjs.org:443') + get('/')))).toBe('403');
  });

  it('[T150] a client or a server that breaks off leaves the others as they are', async () => {
    const { gate, send } = await createGateRig({
      dial: () => connect('/nonexistent/socket'),
      hosts: ['example.org'],
    });
    expect(await send(tunnel('example.org:443'))).toMatch(/^HTTP\/1\.1 502[\s\S]*could not be reached/);
    const socket = connect(gate.socketPath).on('error', () => undefined);
    await new Promise<void>((resolve) => void socket.write(tunnel('example.org:443'), () => resolve()));
    socket.destroy();
    expect(statusOf(await send(get('http://example.org/')))).toBe('502');
    const lost = await createGateRig({ resolve: () => Promise.reject(new Error('ENOTFOUND')) });
    expect(await lost.send(tunnel('example.org:443'))).toMatch(/^HTTP\/1\.1 502[\s\S]*could not be found/);
  });

  it('[T150] is reachable by this user only, and leaves nothing behind', async () => {
    const { gate, send } = await createGateRig();
    const folder = dirname(gate.socketPath);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(Object.values(gate.env).join(' ')).not.toContain(folder);
    const open = send(tunnel('example.org:443'));
    await gate.close();
    await open;
    await expect(stat(folder)).rejects.toThrow('ENOENT');
  });

  it('[T150] works with a long folder for temporary files', async () => {
    const { gate, send } = await createGateRig({ folder: `/tmp/${'long'.repeat(30)}` });
    onTestFinished(() => gate.close());
    expect(statusOf(await send(get('http://example.org/')))).toBe('200');
  });
});
