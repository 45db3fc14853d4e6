import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CrewError } from '../base/crew-error.ts';
import { sha256Of } from '../base/sha256.ts';
import { withSignature } from '../bmad/archive/archive-signature.ts';
import { listInstalled } from '../bmad/installed-packages.ts';
import { openDiskStore } from '../store/disk/open-store.ts';
import { startHttpServer } from '../testing/http-server.ts';
import { testContext } from '../testing/inspect.ts';
import { zipOf } from '../testing/packages/raw-zip.ts';
import { samplePackage } from '../testing/packages/sample-package.ts';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { addPackage, inspectAddress } from './add-package.ts';
import { fetchBytes } from './fetch-bytes.ts';
import { addIndex } from './package-indexes.ts';
import { writeTarball } from './write-tarball.ts';

const ARCHIVE = zipOf(samplePackage());
const HASH = sha256Of(ARCHIVE);

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(routes: Readonly<Record<string, Answer>>) {
  const asked: { path: string; authorization: string | undefined }[] = [];
  const server = await startHttpServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    asked.push({ path, authorization: request.headers.authorization });
    const answer = routes[path];
    if (answer) answer(request, response);
    else response.writeHead(404).end('{}');
  });
  onTestFinished(() => server.close());
  return { ...server, asked };
}

async function createDeps(env: Record<string, string> = {}) {
  const home = await tempFolder();
  const store = openDiskStore(join(home, 'store'));
  return { store, context: testContext, env: { HOME: home, ...env }, home };
}

type Deps = Awaited<ReturnType<typeof createDeps>>;

async function refusal(address: string, deps: Deps, sha256?: string): Promise<string> {
  const error: unknown = await addPackage({ address, sha256 }, deps).catch((cause: unknown) => cause);
  if (!(error instanceof CrewError)) throw error instanceof Error ? error : new Error('it was accepted');
  expect(await listInstalled(deps.store)).toEqual([]);
  return `${error.code} ${error.message}`;
}

const send =
  (body: string | Buffer, headers: Record<string, string> = {}, status = 200): Answer =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);
const redirect = (location: string): Answer => send('', { location }, 302);

describe('a package at an address', () => {
  it('is installed under its hash, and can be looked at first', async () => {
    const server = await serve({ '/a.bmad': redirect('/b.bmad'), '/b.bmad': send(ARCHIVE) });
    const deps = await createDeps();
    const address = `${server.url}/a.bmad`;
    expect(await inspectAddress(address, deps)).toMatchObject({
      package: { manifest: { name: 'sample' } },
      archive: { hash: HASH, signer: { status: 'unsigned' } },
    });
    expect(await listInstalled(deps.store)).toEqual([]);
    expect(await addPackage({ address, sha256: HASH }, deps)).toMatchObject({ package: { hash: HASH } });
    expect(await deps.store.packages.readOrigin(HASH)).toMatchObject({
      place: { kind: 'url', url: address },
    });
    expect(
      (await readdir(join(deps.home, 'store', 'packages'))).filter((name) => name.startsWith('.')),
    ).toEqual([]);
  });

  it.each<[what: string, answer: Answer, refused: RegExp]>([
    ['is missing', send('', {}, 404), /^PACKAGE_UNREACHABLE .*does not exist/],
    ['fails', send('', {}, 500), /answers with status 500/],
    ['is a web page', send('<!DOCTYPE html>'), /^PACKAGE_INVALID/],
    [
      'is compressed unasked',
      send(gzipSync(ARCHIVE), { 'content-encoding': 'gzip' }),
      /compresses its answer/,
    ],
    ['redirects for ever', redirect('/x.bmad'), /redirects too often/],
    ['leads to a file', redirect('file:///etc/passwd'), /not followed: it does not start with https/],
    ['leads to another port', redirect('http://127.0.0.1:1/x'), /not followed: it does not start with https/],
    ['leads to a metadata service', redirect('https://169.254.169.254/latest'), /in a private network/],
    ['leads to this machine', redirect('https://localhost/x'), /in a private network/],
    ['leads to a number', redirect('https://2130706433/x'), /in a private network/],
    ['leads to IPv6 of this machine', redirect('https://[::ffff:7f00:1]/x'), /in a private network/],
    ['leads to a password', redirect('https://a:b@example.org/x'), /contains a password/],
    ['leads nowhere', redirect('https://'), /redirects to something that is no address/],
    [
      'ends too early',
      (_, response) => {
        response.writeHead(200, { 'content-length': '1000' }).write('PK');
        setImmediate(() => response.destroy());
      },
      /^PACKAGE_UNREACHABLE/,
    ],
  ])('is refused if it %s', async (_, answer, refused) => {
    const server = await serve({ '/x.bmad': answer });
    expect(await refusal(`${server.url}/x.bmad`, await createDeps())).toMatch(refused);
  });

  it.each([
    ['http://example.org/a.bmad', /^USAGE .*https/],
    ['ftp://example.org/a.bmad', /^USAGE .*https/],
    ['https://me:secret@example.org/a', /^USAGE .*contains a password/],
    ['npm:../x', /^USAGE .*name of an npm package/],
    ['npm:Upper', /^USAGE/],
    ['npm:a@--tag', /^USAGE/],
    ['git+ext::sh -c evil', /^USAGE/],
    ['git+https://example.org/a#--upload-pack=x', /^USAGE/],
    ['none-of-this-name', /^PACKAGE_NOT_FOUND There is no file or folder .*add an index/],
    ['./none.bmad', /^PACKAGE_INVALID/],
  ])('is refused as an address: %s', async (address, refused) => {
    expect(await refusal(address, await createDeps())).toMatch(refused);
  });

  it('is refused if it is another one than was shown', async () => {
    const server = await serve({ '/x.bmad': send(ARCHIVE) });
    expect(await refusal(`${server.url}/x.bmad`, await createDeps(), 'a'.repeat(64))).toMatch(
      /^HASH_MISMATCH/,
    );
  });

  it('has limits of size and time', async () => {
    const server = await serve({
      '/endless': (_, response) => {
        const more = (): unknown =>
          response.write(Buffer.alloc(65_536)) ? setImmediate(more) : response.once('drain', more);
        more();
      },
      '/silent': () => undefined,
      '/slow': (_, response) => void response.writeHead(200).write('a'),
    });
    const fetchFrom = (path: string, limits = { idleMs: 5_000, totalMs: 10_000 }) =>
      fetchBytes(new URL(path, server.url), { maxBytes: 1_048_576, env: {}, limits }).then(String, String);
    expect(await fetchFrom('/endless')).toMatch(/sends more than 1 MiB/);
    expect(await fetchFrom('/silent', { idleMs: 50, totalMs: 10_000 })).toMatch(/takes too long/);
    expect(await fetchFrom('/slow', { idleMs: 5_000, totalMs: 100 })).toMatch(/takes too long/);
  });
});

describe('a package of a registry', () => {
  const tarball = writeTarball({ 'package.json': Buffer.from('{}'), 'sample-1.0.0.bmad': ARCHIVE });
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;

  function registry(dist: Record<string, unknown>, body: Buffer = tarball): Record<string, Answer> {
    return {
      '/npm/@team/sample': (request, response) => {
        const url = `http://${request.headers.host}/npm/@team/sample/-/sample-1.0.0.tgz`;
        const version = { version: '1.0.0', dist: { tarball: url, integrity, ...dist } };
        response.end(JSON.stringify({ 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }));
      },
      '/npm/@team/sample/-/sample-1.0.0.tgz': send(body),
    };
  }

  it('is found by the settings of npm, whose token goes to the registry only', async () => {
    const server = await serve(registry({}));
    const deps = await createDeps({ TEAM_TOKEN: 'secret-token' });
    await writeFile(
      join(deps.home, '.npmrc'),
      `registry=https://registry.example\n@team:registry=${server.url}/npm\n//127.0.0.1:${server.port}/npm/:_authToken=\${TEAM_TOKEN}\n//example.org/:_authToken=other\n`,
    );
    const { package: installed } = await addPackage({ address: 'npm:@team/sample' }, deps);
    expect(installed).toMatchObject({ name: 'sample', hash: HASH });
    expect(server.asked.map(({ authorization }) => authorization)).toEqual([
      'Bearer secret-token',
      'Bearer secret-token',
    ]);
    expect(await deps.store.packages.readOrigin(HASH)).toMatchObject({
      place: { kind: 'npm', name: '@team/sample' },
    });
  });

  it.each<[what: string, routes: Record<string, Answer>, refused: RegExp]>([
    [
      'is another tarball',
      registry({}, Buffer.from('other')),
      /another tarball than the registry has listed/,
    ],
    ['has no hash', registry({ integrity: undefined }), /another tarball/],
    ['is elsewhere', registry({ tarball: 'https://10.0.0.1/a.tgz' }), /in a private network/],
    ['is a file', registry({ tarball: 'file:///etc/passwd' }), /does not start with https/],
    ['is nowhere', registry({ tarball: 'x' }), /names no address/],
    [
      'has no such version',
      { '/npm/@team/sample': send('{"versions":{},"dist-tags":{"latest":"__proto__"}}') },
      /^PACKAGE_NOT_FOUND/,
    ],
    ['is no registry', { '/npm/@team/sample': send('<html>') }, /does not answer like a registry/],
    [
      'is not allowed',
      { '/npm/@team/sample': send('{"error":"no"}', {}, 401) },
      /^PermissionDenied .*: no\. Add a token/,
    ],
    ['is not there', {}, /^PACKAGE_NOT_FOUND/],
  ])('is refused if it %s', async (_, routes, refused) => {
    const server = await serve(routes);
    const deps = await createDeps({ npm_config_registry: `${server.url}/npm/` });
    expect(await refusal('npm:@team/sample', deps)).toMatch(refused);
  });
});

describe('a proxy', () => {
  it('is used for https, except for hosts of no_proxy', async () => {
    const connected: string[] = [];
    const proxy = createHttpServer().on('connect', ({ url = '', headers }, socket) => {
      connected.push(`${url} ${headers['proxy-authorization'] ?? ''}`);
      if (url.startsWith('refused')) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      socket
        .on('error', () => undefined)
        .once('data', (bytes: Buffer) => {
          // A handshake of TLS begins.
          connected.push(`${bytes[0]}`);
          socket.destroy();
        });
      return socket.write('HTTP/1.1 200 OK\r\n\r\n');
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    const deps = await createDeps({
      https_proxy: `http://me:pass@127.0.0.1:${port}`,
      no_proxy: 'localhost, .corp.invalid',
    });
    expect(await refusal('https://refused.example/a.bmad', deps)).toMatch(
      /The proxy 127.0.0.1:\d+ refused the connection \(403\)/,
    );
    expect(await refusal('https://packages.example:8443/a.bmad', deps)).toMatch(/cannot be reached \(/);
    expect(await refusal('https://a.corp.invalid/a.bmad', deps)).toMatch(/cannot be reached \(/);
    const credentials = `Basic ${Buffer.from('me:pass').toString('base64')}`;
    expect(connected).toEqual([
      `refused.example:443 ${credentials}`,
      `packages.example:8443 ${credentials}`,
      '22',
    ]);
  });
});

describe('a package of a repository', () => {
  it('is the folder at its top, at a tag', async () => {
    const deps = await createDeps();
    const folder = join(await tempFolder(), 'repo');
    await mkdir(folder);
    await writeTree(folder, samplePackage());
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], { cwd: folder });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'one');
    git('tag', 'v1.0.0');
    const { package: installed } = await addPackage({ address: `git+file://${folder}#v1.0.0` }, deps);
    expect(installed).toMatchObject({ name: 'sample' });
    expect(await deps.store.packages.readOrigin(installed.hash)).toMatchObject({
      place: { kind: 'git', ref: 'v1.0.0' },
    });
  });
});

describe('a package of an index', () => {
  it('is found by its name, and must have the hash that the index says', async () => {
    const toIndex = (sha256: string, url: string): Answer =>
      send(
        JSON.stringify({
          schemaVersion: 1,
          packages: [{ name: 'sample', versions: [{ version: '1.0.0', url, sha256 }] }],
        }),
      );
    const server = await serve({
      '/good/index.json': toIndex(HASH, 'sample.bmad'),
      '/good/sample.bmad': send(ARCHIVE),
      '/bad/index.json': toIndex('b'.repeat(64), '../good/sample.bmad'),
      '/far/index.json': toIndex(HASH, 'https://192.168.0.1/sample.bmad'),
      '/none/index.json': send('{}'),
    });
    const refused = async (name: string): Promise<string> => {
      const deps = await createDeps();
      await addIndex(`${server.url}/${name}/index.json`, deps);
      return refusal('sample', deps);
    };
    expect(await refused('bad')).toMatch(/^HASH_MISMATCH/);
    expect(await refused('far')).toMatch(/in a private network/);
    await expect(refused('none')).rejects.toThrow(/is not an index of packages/);
    const deps = await createDeps();
    await addIndex(`${server.url}/good/index.json`, deps);
    expect(await refusal('other', deps)).toMatch(/^PACKAGE_NOT_FOUND No index has a package "other"/);
    expect(await addPackage({ address: 'sample@^1' }, deps)).toMatchObject({ package: { hash: HASH } });
  });
});

it('a signature does not change the hash of an archive, and one that does not fit is refused', async () => {
  const deps = await createDeps();
  const file = join(deps.home, 'signed.bmad');
  const forged = {
    key: Buffer.alloc(32, 1).toString('base64'),
    signature: Buffer.alloc(64, 1).toString('base64'),
  };
  await writeFile(file, withSignature(ARCHIVE, forged));
  expect(await refusal(file, deps)).toMatch(/^SIGNATURE_INVALID/);
});
