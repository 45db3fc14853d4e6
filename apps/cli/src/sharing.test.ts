import { execFileSync } from 'node:child_process';
import { cp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readBody, startHttpServer } from '../../../packages/core/src/testing/http-server.ts';
import { createAuthority, IDENTITY, ISSUER } from '../../../packages/core/src/testing/sigstore-authority.ts';
import { type CliRig, createCliRig } from './testing/cli-rig.ts';

/** Throws if the command fails. */
async function succeed(rig: CliRig, ...args: string[]): Promise<string> {
  const { code, out, err } = await rig.run(...args);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${code} ${err}`);
  return out;
}

async function createPackage(rig: CliRig): Promise<string> {
  const folder = join(rig.folder, 'notes');
  await succeed(rig, 'new', folder);
  return folder;
}

async function setVersion(folder: string, version: string): Promise<void> {
  const file = join(folder, 'bmad.json');
  const manifest = JSON.parse(await readFile(file, 'utf8')) as object;
  await writeFile(file, JSON.stringify({ ...manifest, version }));
}

function hashIn(text: string): string {
  return /sha256 ([0-9a-f]{64})/.exec(text)?.[1] ?? '';
}

describe('a package from elsewhere', () => {
  it('is added from its address with its title and hash, and shown', async () => {
    const rig = await createCliRig();
    await rig.run('new', join(rig.folder, 'meeting-notes'));
    await rig.run('pack', join(rig.folder, 'meeting-notes'), '-o', join(rig.folder, 'notes.bmad'));
    const bytes = await readFile(join(rig.folder, 'notes.bmad'));
    const server = await startHttpServer((_, response) => void response.end(bytes));
    onTestFinished(() => server.close());
    const added = await rig.run('packages', 'add', `${server.url}/notes.bmad`);
    expect(added).toMatchObject({ code: 0, err: '' });
    const [, hash = ''] = /sha256 ([0-9a-f]{64})/.exec(added.out) ?? [];
    expect(added.out).toContain('not signed');
    expect((await rig.run('packages', 'list')).out).toContain('meeting-notes 0.1.0  Meeting notes');
    const shown = await rig.run('packages', 'show', 'meeting-notes');
    for (const text of [hash, 'Meeting notes', `${server.url}/notes.bmad`, 'not signed'])
      expect(shown.out).toContain(text);
    const json = JSON.parse((await rig.run('packages', 'show', 'meeting-notes', '--json')).out) as unknown;
    expect(json).toMatchObject({ about: { title: 'Meeting notes' }, signer: { status: 'unsigned' } });
    const other = await rig.run('packages', 'add', `${server.url}/notes.bmad`, '--sha256', 'a'.repeat(64));
    expect(other).toMatchObject({
      code: 2,
      err: expect.stringContaining('another package than expected') as string,
    });
  });
});

describe('a package that is published to a folder', () => {
  it('is found by others through the index, and every later version must have the same signer', async () => {
    const [ada, ben, eve] = [await createCliRig(), await createCliRig(), await createCliRig()];
    const folder = await createPackage(ada);
    const site = join(ada.folder, 'site');
    const publish = (rig: CliRig, ...options: string[]) =>
      rig.run('publish', folder, '--to', site, ...options);

    const created = await succeed(ada, 'keys', 'create', 'Ada');
    const [fingerprint = ''] = /[0-9a-f]{4}(?:-[0-9a-f]{4}){5}/.exec(created) ?? [];
    expect((await stat(join(ada.store, 'signing-keys.json'))).mode & 0o077).toBe(0);
    expect((await publish(ada, '--dry-run')).out).toContain('would be published');
    expect(await readdir(ada.folder)).not.toContain('site');
    const published = await publish(ada);
    expect(published).toMatchObject({ code: 0, err: '' });
    expect(await readdir(site)).toEqual(['index.json', 'notes-0.1.0.bmad']);
    expect(await publish(ada)).toMatchObject({
      code: 2,
      err: expect.stringContaining('never replaced') as string,
    });

    expect(await ben.run('packages', 'add', 'notes')).toMatchObject({ code: 2 });
    await succeed(ben, 'packages', 'index', 'add', site);
    expect(await succeed(ben, 'packages', 'search', 'NOTES')).toContain('notes 0.1.0  Notes');
    // The same index by its file, and a copy of it.
    await succeed(ben, 'packages', 'index', 'add', join(site, 'index.json'));
    expect((await succeed(ben, 'packages', 'index', 'list')).trim().split('\n')).toHaveLength(1);
    await cp(site, join(ben.folder, 'copy'), { recursive: true });
    await succeed(ben, 'packages', 'index', 'add', join(ben.folder, 'copy'));
    const added = await succeed(ben, 'packages', 'add', 'notes');
    await succeed(ben, 'packages', 'index', 'remove', join(ben.folder, 'copy'));
    expect(added).toContain(`signed by ${fingerprint}, for the first time`);
    expect(hashIn(added)).toBe(hashIn(published.out));
    expect(await succeed(ben, 'packages', 'show', 'notes')).toContain(`signed by ${fingerprint}`);

    await setVersion(folder, '0.2.0');
    await publish(ada);
    expect((await ben.run('packages', 'outdated')).out).toMatch(/notes +0\.1\.0 +0\.2\.0/);
    expect(await succeed(ben, 'packages', 'upgrade')).toContain('notes 0.2.0 is installed');

    // Eve publishes under the same name, then nobody signs.
    await succeed(eve, 'keys', 'create', 'Eve');
    await setVersion(folder, '0.3.0');
    await publish(eve);
    const refused = await ben.run('packages', 'upgrade', 'notes');
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining('another signer than before') as string,
    });
    await setVersion(folder, '0.4.0');
    await publish(ada, '--no-sign');
    expect((await ben.run('packages', 'add', 'notes')).err).toContain(
      `an earlier version was signed by ${fingerprint}`,
    );
    expect((await ben.run('packages', 'add', join(site, 'notes-0.3.0.bmad'))).code).toBe(2);
    await succeed(ben, 'packages', 'add', 'notes@0.3.0', '--accept-signer');
    expect((await ben.run('packages', 'add', join(site, 'notes-0.4.0.bmad'))).code).toBe(2);

    // What Ada signs is welcome under any name once her key is trusted.
    const key = (await succeed(ada, 'keys', 'export')).trim();
    await succeed(ben, 'keys', 'trust', key, '--name', 'Ada');
    await setVersion(folder, '0.5.0');
    await publish(ada);
    expect(await succeed(ben, 'packages', 'add', 'notes')).toContain(`signed by ${fingerprint} (Ada)`);
    expect(await succeed(ben, 'keys', 'list')).toMatch(/trusted as Ada {2}notes/);
    await succeed(ben, 'keys', 'forget', 'Ada');
    expect(await succeed(ben, 'packages', 'add', 'notes@0.4.0')).toContain('not signed');
  });

  it('is refused if it is not valid, has changed, or the destination is none', async () => {
    const rig = await createCliRig();
    const folder = await createPackage(rig);
    const site = join(rig.folder, 'site');
    await succeed(rig, 'keys', 'create', 'Ada');
    await succeed(rig, 'publish', folder, '--to', site);
    const file = join(site, 'notes-0.1.0.bmad');
    const bytes = await readFile(file);
    // One letter of the name in the archive, and its signature stays.
    await setVersion(folder, '0.1.1');
    await succeed(rig, 'pack', folder, '-o', join(rig.folder, 'dist/other.bmad'));
    const other = await readFile(join(rig.folder, 'dist/other.bmad'));
    const comment = bytes.subarray(bytes.lastIndexOf('PK\x05\x06') + 20);
    await writeFile(file, Buffer.concat([other.subarray(0, -2), comment]));
    expect((await rig.run('packages', 'add', file)).err).toContain('changed after it was signed');
    for (const nowhere of ['https://example.org/', ''])
      expect((await rig.run('publish', folder, '--to', nowhere)).err).toContain('Give a folder');
    await writeFile(join(folder, 'steps/end-02-write.md'), 'no frontmatter');
    expect(await rig.run('publish', folder, '--to', site)).toMatchObject({ code: 2 });
    await succeed(rig, 'keys', 'create', 'Ben');
    expect((await rig.run('publish', folder, '--to', site)).err).toContain('Choose one with: --key NAME');
    expect(await readdir(site)).toEqual(['index.json', 'notes-0.1.0.bmad']);
  });
});

it('a package is published to a registry of npm packages and added from it', async () => {
  const documents = new Map<string, Record<string, unknown>>();
  const tarballs = new Map<string, Buffer>();
  const registry = await startHttpServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    const answer = async (): Promise<void> => {
      if (request.method === 'GET') {
        const found = documents.get(path) ?? tarballs.get(path);
        response
          .writeHead(found ? 200 : 404)
          .end(Buffer.isBuffer(found) ? found : JSON.stringify(found ?? {}));
        return;
      }
      const body = JSON.parse((await readBody(request)).toString()) as {
        versions: Record<string, { dist: { tarball: string } }>;
        _attachments: Record<string, { data: string }>;
      };
      if (request.headers.authorization !== 'Bearer secret') {
        response.writeHead(401).end('{"error":"sign in first"}');
        return;
      }
      const [[, { dist }]] = Object.entries(body.versions) as [[string, { dist: { tarball: string } }]];
      const [{ data }] = Object.values(body._attachments) as [{ data: string }];
      tarballs.set(new URL(dist.tarball).pathname, Buffer.from(data, 'base64'));
      documents.set(path, body);
      response.writeHead(201).end('{}');
    };
    void answer();
  });
  onTestFinished(() => registry.close());
  const rig = await createCliRig({ npm_config_userconfig: '', npm_config_registry: registry.url });
  const folder = await createPackage(rig);
  const rc = join(rig.folder, 'npmrc');
  rig.env.npm_config_userconfig = rc;
  await succeed(rig, 'keys', 'create', 'Ada');
  const publish = (...options: string[]) => rig.run('publish', folder, '--to', 'npm:@team/notes', ...options);

  expect((await publish('--dry-run')).out).toMatch(/package\.json\n.*README\.md\n.*notes-0\.1\.0\.bmad/);
  expect((await publish()).err).toContain('sign in first');
  await writeFile(rc, `//127.0.0.1:${registry.port}/:_authToken=secret\n`);
  const published = await publish();
  expect(published).toMatchObject({ code: 0, err: '' });
  expect((await publish()).err).toContain('never replaced');
  expect(documents.get('/@team/notes')?.versions).toMatchObject({
    '0.1.0': { name: '@team/notes', keywords: ['crewagent'] },
  });

  const added = await succeed(rig, 'packages', 'add', 'npm:@team/notes');
  expect(hashIn(added)).toBe(hashIn(published.out));
  expect(added).toContain('for the first time');
  expect(await succeed(rig, 'packages', 'outdated')).toContain('up to date');
});

it('a package is published to a git repository with a tag, and added from it with its signature', async () => {
  const rig = await createCliRig();
  const folder = await createPackage(rig);
  const bare = join(rig.folder, 'bare.git');
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: rig.folder, encoding: 'utf8' });
  git('init', '--quiet', '--bare', '--initial-branch=main', bare);
  await succeed(rig, 'keys', 'create', 'Ada');
  const address = `git+file://${bare}`;
  const published = await succeed(rig, 'publish', folder, '--to', address);
  expect(await rig.run('publish', folder, '--to', address)).toMatchObject({
    code: 2,
    err: expect.stringContaining('has the tag v0.1.0 already') as string,
  });
  await setVersion(folder, '0.2.0');
  await succeed(rig, 'publish', folder, '--to', address);
  expect(git('-C', bare, 'log', '--format=%s', 'main').trim()).toBe('notes 0.2.0\nnotes 0.1.0');

  const added = await succeed(rig, 'packages', 'add', `${address}#v0.1.0`);
  expect(hashIn(added)).toBe(hashIn(published));
  expect(added).toContain('for the first time');
  expect(await succeed(rig, 'packages', 'upgrade')).toContain('notes 0.2.0 is installed');

  // A branch with something else is not replaced.
  const other = await rig.write('other', { 'README.md': 'mine' });
  git('-C', other, 'init', '--quiet', '--initial-branch=main');
  git('-C', other, 'add', '.');
  git('-C', other, '-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'x');
  expect((await rig.run('publish', folder, '--to', `git+file://${other}`)).err).toContain(
    'has other files than a package',
  );
});

describe('a package with a Sigstore bundle', () => {
  it('names its signer, and is refused in red from another one', async () => {
    const rig = await createCliRig();
    const folder = await createPackage(rig);
    const [archive, root] = [join(rig.folder, 'notes.bmad'), join(rig.folder, 'trusted_root.json')];
    const authority = createAuthority();
    const sign = async (identity?: string): Promise<void> =>
      writeFile(
        `${archive}.sigstore.json`,
        JSON.stringify(authority.bundle(await readFile(archive), identity === undefined ? {} : { identity })),
      );
    await succeed(rig, 'pack', folder, '-o', archive);
    await sign();
    // An authority that only this test knows.
    expect((await rig.run('packages', 'add', archive)).err).toContain('authority of the trust root');
    await writeFile(root, '{}');
    expect((await rig.run('keys', 'trust-root', root)).err).toContain('no trust root of Sigstore');
    await writeFile(root, JSON.stringify(authority.trustRoot));
    await succeed(rig, 'keys', 'trust-root', root);
    const by = `${IDENTITY} via ${ISSUER} (Sigstore)`;
    expect(await succeed(rig, 'packages', 'add', archive)).toContain(`signed by ${by}, for the first time`);
    expect(await succeed(rig, 'packages', 'show', 'notes')).toContain(`signed by ${by}`);
    expect(await succeed(rig, 'keys', 'list')).toContain(by);
    await sign('eve@example.org');
    expect((await rig.run('packages', 'add', archive)).err).toContain(`instead of ${by}`);
    await succeed(rig, 'keys', 'trust', `sigstore:${ISSUER} eve@example.org`, '--name', 'Eve');
    expect(await succeed(rig, 'packages', 'add', archive)).toContain('(Eve)');
    await succeed(rig, 'keys', 'trust-root');
    expect((await rig.run('packages', 'add', archive)).code).toBe(2);
  });
});
