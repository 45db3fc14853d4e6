import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { hasSandbox } from '../testing/require-sandbox.ts';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { openView, processesWith, runIn, type ViewSettings } from '../testing/views.ts';
import { openCopyView, toProfile } from './copy-view.ts';
import { findProjectSandbox } from './sandbox.ts';

/** A person with a home folder, a store and two projects. */
async function createPerson(): Promise<{ root: string; project: string }> {
  const root = await tempFolder();
  await writeTree(root, {
    'home/.ssh/id_rsa': 'private key',
    'home/.nvm/tool': 'a tool',
    'store/secrets.json': 'api key',
    'other/source.ts': 'other project',
    'project/source.ts': 'source',
    'project/.env': 'TOKEN=1',
    'project/.git/config': 'config',
  });
  vi.stubEnv('HOME', join(root, 'home'));
  onTestFinished(() => void vi.unstubAllEnvs());
  return { root, project: join(root, 'project') };
}

async function run(
  project: string,
  script: string,
  settings: ViewSettings = {},
): Promise<{ output: string; code: number | null }> {
  return runIn(await openView(project, settings), script);
}

describe.skipIf(!hasSandbox)('a process in the sandbox', () => {
  it('[Y27] reads programs and the project, and writes to its view only', async () => {
    const { project } = await createPerson();
    const view = await openView(project);
    const { output } = await runIn(view, 'cat source.ts; echo new > made; cat ~/.nvm/tool; git --version');
    expect(output).toMatch(/^sourcea toolgit version/);
    expect(await readFile(join(view.contents, 'made'), 'utf8')).toBe('new\n');
    await expect(readFile(join(project, 'made'))).rejects.toThrow('ENOENT');
  });

  it('[Y27] cannot read the store, ~/.ssh, other projects or passwords of the system', async () => {
    const { root, project } = await createPerson();
    const files = ['home/.ssh/id_rsa', 'store/secrets.json', 'other/source.ts'].map((file) =>
      join(root, file),
    );
    for (const file of [...files, '/etc/shadow', `/proc/${process.pid}/environ`]) {
      const { output, code } = await run(project, `cat '${file}'`);
      expect([code, output]).toEqual([1, expect.stringMatching(/No such file|Permission denied/)]);
    }
    const { output } = await run(project, `ls -a '${root}' ~`);
    expect(output).not.toMatch(/store|other|\.ssh/);
  });

  it('[Y27] cannot write outside the project', async () => {
    const { root, project } = await createPerson();
    await run(project, `echo x > '${root}/store/secrets.json'; echo x > ~/.profile; echo x > /usr/evil`);
    expect(await readFile(join(root, 'store/secrets.json'), 'utf8')).toBe('api key');
    await expect(readFile(join(root, 'home/.profile'))).rejects.toThrow('ENOENT');
    await expect(readFile('/usr/evil')).rejects.toThrow('ENOENT');
  });

  it('[Y27] cannot reach services on this machine, and with the network only names that are allowed', async () => {
    const { project } = await createPerson();
    const server = createServer((_, response) => response.end('a local service'));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const fetch = `node -e "fetch('http://127.0.0.1:${port}').then(r=>r.text()).then(console.log,()=>console.log('none'))"`;
    expect((await run(project, fetch)).output).toBe('none\n');
    // Node 22 warns that its proxies are experimental.
    expect((await run(project, fetch, { network: true })).output).toMatch(/^(?:\(.*\n)*none\n$/);
    const view = await openView(project, { network: true });
    const curl = `curl -s -o /dev/null -w '%{http_code}' --proxy $HTTP_PROXY --noproxy ''`;
    const { output } = await runIn(view, `${curl} http://127.0.0.1:${port}; ${curl} http://evil.example`);
    expect(output).toBe('403403');
    expect(view.takeRefusedHosts()).toEqual([`127.0.0.1:${port}`, 'evil.example']);
    expect(view.takeRefusedHosts()).toEqual([]);
    expect((await run(project, 'cat /proc/net/dev | tail -n +3 | cut -d: -f1')).output.trim()).toBe('lo');
  });

  it('[Y27] cannot change git folders, nor see secret files, of the project', async () => {
    const { root, project } = await createPerson();
    const { output } = await run(project, 'ls -a; cat .env .git/config; echo x > .git/config; rm -rf .git');
    expect(output).toContain('config');
    expect(output).not.toContain('TOKEN');
    expect(output).not.toMatch(/^\.env$/m);
    expect(await readFile(join(project, '.git/config'), 'utf8')).toBe('config');
    expect(
      (await run(project, `cat '${root}/other/source.ts'`, { folders: [join(root, 'other')] })).output,
    ).toBe('other project');
  });

  it('[Y12] leaves no process behind that cleared its environment and left its group', async () => {
    const { project } = await createPerson();
    await run(project, 'env -i /usr/bin/setsid /bin/sleep 99617 & sleep 0.2');
    await expect.poll(() => processesWith('sleep 99617')).toEqual([]);
  });
});

it('[Y27] a project that contains the home folder has no sandbox, with the reason', async () => {
  const { root, project } = await createPerson();
  expect((await findProjectSandbox(root)).state).toMatchObject({
    kind: 'none',
    isIsolating: false,
    reason: expect.stringContaining('home folder') as string,
  });
  if (hasSandbox) expect((await findProjectSandbox(project)).state).toMatchObject({ isIsolating: true });
});

it('[Y27] the profile for macOS denies the network and home folders, and quotes paths', () => {
  const profile = toProfile({
    project: '/p/a"b',
    folders: [],
    readOnly: ['.git'],
  });
  expect(profile).toContain('(deny network*)');
  expect(profile).toContain('(subpath "/p/a\\"b")');
  expect(profile).toContain('(deny file-write* (subpath "/p/a\\"b/.git"))');
});

it('[T120] a view that is a copy has no secret files, and its changes are found by comparing', async () => {
  const { root, project } = await createPerson();
  await writeTree(project, { 'same.txt': 'same', 'changed.txt': 'old', 'gone/deep.txt': 'x', 'kind/x': 'y' });
  const folder = join(root, 'view');
  await mkdir(folder);
  const access = { project, network: false, folders: [], readOnly: ['.git'], hidden: ['.env'] };
  const view = await openCopyView({ folder, access });
  expect(existsSync(join(view.contents, '.env'))).toBe(false);
  expect(view.changes()).toEqual([]);
  await writeFile(join(view.contents, 'changed.txt'), 'new text');
  await writeFile(join(view.contents, 'made.txt'), '');
  await rm(join(view.contents, 'gone'), { recursive: true });
  await rm(join(view.contents, 'kind'), { recursive: true });
  await symlink('same.txt', join(view.contents, 'kind'));
  await chmod(join(view.contents, 'source.ts'), 0o755);
  const kinds = view.changes().map(({ path, before, after }) => [path, before?.kind, after?.kind]);
  expect(kinds).toEqual([
    ['gone/deep.txt', 'file', undefined],
    ['gone', 'folder', undefined],
    ['changed.txt', 'file', 'file'],
    ['kind/x', 'file', undefined],
    ['kind', 'folder', undefined],
    ['kind', undefined, 'link'],
    ['made.txt', undefined, 'file'],
    ['source.ts', 'file', 'file'],
  ]);
  await view.close();
  expect(existsSync(folder)).toBe(false);
});
