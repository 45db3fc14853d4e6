import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '@crewagent/protocol/api/client';
import type { FileWatchMessage } from '@crewagent/protocol/api/files';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createServerRig, type ServerRig } from '../testing/server-rig.ts';

const RESEARCH_BRIEF = join(import.meta.dirname, '../../../../examples/research-brief');

async function openProject({ client, project }: ServerRig): Promise<string> {
  return (await client.projects.open({ body: { path: project } })).projectId;
}

describe('the files of a project', () => {
  it('[F8] are attached as they are, under a free name; one that is too large leaves nothing behind', async () => {
    const rig = await createServerRig();
    const projectId = await openProject(rig);
    const attach = (name: string, bytes: Uint8Array<ArrayBuffer>) =>
      rig.client.files.attach({ projectId, query: { name }, body: new Blob([bytes]) });
    const bytes = new Uint8Array([0x25, 0x50, 0, 0xff]);
    expect((await attach('plan.pdf', bytes)).path).toBe('@project/attachments/plan.pdf');
    expect((await attach('plan.pdf', bytes)).path).toBe('@project/attachments/plan 2.pdf');
    expect(new Uint8Array(await readFile(join(rig.project, 'attachments/plan 2.pdf')))).toEqual(bytes);
    await expect(attach('big.bin', new Uint8Array(25 * 1024 * 1024 + 1))).rejects.toMatchObject({
      status: 413,
    });
    const { entries } = await rig.client.files.list({ projectId, query: { path: '@project/attachments' } });
    expect(entries.map(({ name }) => name)).toEqual(['plan 2.pdf', 'plan.pdf']);
  });

  it('[F9] get the sample documents of a package, and keep what is there', async () => {
    const rig = await createServerRig();
    const { client, project } = rig;
    const projectId = await openProject(rig);
    const { package: installed } = await client.packages.importPath({ body: { path: RESEARCH_BRIEF } });
    const add = (packageHash: string) => client.files.addSamples({ projectId, body: { packageHash } });
    await mkdir(join(project, 'sources'));
    await writeFile(join(project, 'sources/accidents.csv'), 'mine');
    const { paths } = await add(installed.hash);
    expect(paths.toSorted()).toEqual(['@project/sources/count-2025.md', '@project/sources/shop-survey.md']);
    const sample = await readFile(join(RESEARCH_BRIEF, 'tests/sample/sources/count-2025.md'), 'utf8');
    expect(await readFile(join(project, 'sources/count-2025.md'), 'utf8')).toBe(sample);
    expect(await readFile(join(project, 'sources/accidents.csv'), 'utf8')).toBe('mine');
    expect(await add(installed.hash)).toEqual({ paths: [] });
    const [last] = (await client.files.changes({ projectId })).changes;
    await client.files.undo({ projectId, body: { id: last?.id ?? '' } });
    expect((await add(installed.hash)).paths).toEqual([last?.path]);
    await expect(add('a'.repeat(64))).rejects.toMatchObject({ code: 'PACKAGE_NOT_FOUND', status: 404 });
    expect(rig.bugs).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')(
    '[F9] get no sample documents through a link that leads out of the project, and none of a package that was changed',
    async () => {
      const rig = await createServerRig();
      const { client, project, root } = rig;
      const projectId = await openProject(rig);
      const { package: installed } = await client.packages.importPath({ body: { path: RESEARCH_BRIEF } });
      const add = () => client.files.addSamples({ projectId, body: { packageHash: installed.hash } });
      const outside = join(root, 'outside');
      await mkdir(outside);
      await symlink(outside, join(project, 'sources'));
      await expect(add()).rejects.toThrow(ApiError);
      expect(await readdir(outside)).toEqual([]);
      const store = rig.runtime.store.packages.folder(installed.hash);
      const sample = join(store, 'tests/sample/sources/count-2025.md');
      await chmod(sample, 0o600);
      await writeFile(sample, 'something else');
      await rm(join(project, 'sources'));
      await expect(add()).rejects.toMatchObject({ code: 'PACKAGE_DAMAGED' });
      expect(await readdir(project)).toEqual(['README.md']);
    },
  );

  it('[F1] are listed, read, saved against their hash, moved, removed and restored', async () => {
    const rig = await createServerRig();
    const { client, project } = rig;
    const projectId = await openProject(rig);
    const list = await client.files.list({ projectId, query: { path: '@project' } });
    expect(list.entries).toMatchObject([{ name: 'README.md', kind: 'file', isSecret: false }]);
    const found = await client.files.read({ projectId, query: { path: '@project/README.md' } });
    if (found.isTooLarge || found.kind !== 'text') throw new Error('the readme is a text');

    const save = (text: string, ifMatchSha256: string | null) =>
      client.files.save({ projectId, body: { path: '@project/README.md', text, ifMatchSha256 } });
    const saved = await save('# Mine\n', found.sha256);
    expect(await readFile(join(project, 'README.md'), 'utf8')).toBe('# Mine\n');
    await expect(save('# Late\n', found.sha256)).rejects.toMatchObject({
      code: 'FILE_CONFLICT',
      status: 412,
    });
    await expect(save('# New\n', null)).rejects.toMatchObject({ code: 'FILE_EXISTS', status: 409 });

    await client.files.createFolder({ projectId, body: { path: '@project/docs' } });
    await client.files.move({
      projectId,
      body: { from: '@project/README.md', to: '@project/docs/readme.md' },
    });
    await client.files.createFile({ projectId, body: { path: '@project/docs/b.md', text: 'b' } });
    const { change } = await client.files.remove({ projectId, body: { path: '@project/docs' } });
    expect((await client.files.list({ projectId, query: { path: '@project' } })).entries).toEqual([]);
    await client.files.undo({ projectId, body: { id: change.id } });
    expect(await readFile(join(project, 'docs', 'readme.md'), 'utf8')).toBe('# Mine\n');
    const { changes } = await client.files.changes({ projectId });
    expect(changes.map(({ kind, isUndone }) => `${kind}${isUndone ? ' undone' : ''}`)).toEqual([
      'removed undone',
      'created',
      'moved',
      'created',
      'saved',
    ]);
    expect(changes.at(-1)?.id).toBe(saved.change?.id);
    expect(rig.bugs).toEqual([]);
  });

  it('[F1] are downloaded with headers that keep them from running', async () => {
    const rig = await createServerRig();
    const projectId = await openProject(rig);
    await writeFile(join(rig.project, 'page "1".html'), '<script>alert(1)</script>');
    const path = encodeURIComponent('@project/page "1".html');
    const response = await rig.call(`/api/v1/projects/${projectId}/file/bytes?path=${path}`);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('<script>alert(1)</script>');
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="[\w. -]+"; filename\*=UTF-8''page%20%221/,
    );
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('[F1] outside of the project, and secret ones, are rejected', async () => {
    const rig = await createServerRig();
    const projectId = await openProject(rig);
    await writeFile(join(rig.project, '.env'), 'KEY=1');
    await writeFile(join(rig.root, 'outside.txt'), 'mine');
    await mkdir(join(rig.project, 'a'));
    await symlink('../../outside.txt', join(rig.project, 'a', 'link.txt'));
    const wrong = [
      '@project/../outside.txt',
      '@project/a/link.txt',
      '@project/.env',
      '@state/x',
      '/etc/passwd',
      `${rig.project}/README.md`,
      '@project/a\u0000b',
    ];
    for (const path of wrong) {
      const query = encodeURIComponent(path);
      const response = await rig.call(`/api/v1/projects/${projectId}/file?path=${query}`);
      expect({ path, isRefused: response.status >= 400 && response.status < 500 }).toEqual({
        path,
        isRefused: true,
      });
      expect(await response.text()).not.toContain(rig.root);
    }
    for (const method of ['PUT', 'POST']) {
      const response = await rig.call(`/api/v1/projects/${projectId}/file`, {
        method,
        headers: { authorization: undefined },
      });
      expect(response.status).toBe(401);
    }
    expect(rig.bugs).toEqual([]);
  });

  it('are watched for changes', async () => {
    const rig = await createServerRig();
    const projectId = await openProject(rig);
    const seen: FileWatchMessage[] = [];
    for await (const { data } of rig.client.files.events({ projectId })) {
      seen.push(data);
      if (data.type === 'watching' && data.isWatching) await writeFile(join(rig.project, 'new.md'), 'new');
      if (data.type === 'changes') break;
    }
    expect(seen[0]?.type).toBe('watching');
    expect(seen.at(-1)).toMatchObject({ type: 'changes', changes: [{ path: '@project/new.md' }] });
  });
});

describe('finding files of a project', () => {
  it('[F23] matches some letters, over HTTP', async () => {
    const rig = await createServerRig();
    const projectId = await openProject(rig);
    for (const name of ['story-1.md', 'story-2.md', '.env', 'plan.md'])
      await writeFile(join(rig.project, name), '');
    const find = (text: string, limit?: string) =>
      rig.client.files.find({ projectId, query: { text, ...(limit === undefined ? {} : { limit }) } });
    expect(await find('sto')).toEqual({
      paths: ['@project/story-1.md', '@project/story-2.md'],
      isCut: false,
    });
    expect((await find('sto', '1')).paths).toHaveLength(1);
    expect((await find('', '0')).paths).toEqual([]);
    expect((await find('', '999999999')).paths).toHaveLength(4);
    expect((await find('.env')).paths).toEqual([]);
    await expect(find('x'.repeat(201))).rejects.toMatchObject({ code: 'USAGE' });
    await expect(find('x', '-1')).rejects.toMatchObject({ code: 'USAGE' });
    for (const text of ['../../etc/passwd', '%00', '\u0000', '(((((', '[a-', '\\', '😀\ud800'])
      expect((await find(text)).paths).toEqual([]);
    expect(rig.bugs).toEqual([]);
  });
});

describe.skipIf(process.platform !== 'linux')('showing a file on the desktop', () => {
  afterEach(() => vi.unstubAllEnvs());

  /** A desktop that records its arguments and its environment. */
  async function createDesktop({ root }: ServerRig): Promise<() => Promise<string>> {
    const record = join(root, 'record');
    const opener = join(root, 'bin', 'xdg-open');
    await mkdir(join(root, 'bin'));
    await writeFile(
      opener,
      `#!/bin/sh\n{ printf '%s\\n' "$#" "$@"; /usr/bin/env; } > "${record}.part"; /bin/mv "${record}.part" "${record}"\n`,
    );
    await chmod(opener, 0o755);
    vi.stubEnv('PATH', join(root, 'bin'));
    vi.stubEnv('DISPLAY', ':9');
    vi.stubEnv('OPENAI_API_KEY', 'sk-of-mine');
    return async () => {
      await expect.poll(() => readFile(record, 'utf8').catch(() => ''), { timeout: 10_000 }).not.toBe('');
      const text = await readFile(record, 'utf8');
      await writeFile(record, '');
      return text;
    };
  }

  it('passes the folder to the file manager as one argument, without our environment', async () => {
    const rig = await createServerRig();
    const projectId = await openProject(rig);
    const readRecord = await createDesktop(rig);
    const name = '-x; touch pwned $(id) \' " & b';
    await mkdir(join(rig.project, name));
    await writeFile(join(rig.project, name, 'run.sh'), '#!/bin/sh');
    const reveal = (path: string) => rig.client.files.reveal({ projectId, body: { path } });
    for (const [path, folder] of [
      [`@project/${name}/run.sh`, join(rig.project, name)],
      [`@project/${name}`, join(rig.project, name)],
      ['@project/README.md', rig.project],
      ['@project', rig.project],
    ] as const) {
      await reveal(path);
      const text = await readRecord();
      expect(text.split('\n').slice(0, 2)).toEqual(['1', folder]);
      expect(text).toContain('DISPLAY=:9');
      expect(text).not.toContain('sk-of-mine');
    }
  });

  it('works inside the project only', async () => {
    const rig = await createServerRig();
    const projectId = await openProject(rig);
    await createDesktop(rig);
    await mkdir(join(rig.root, 'outside'));
    await symlink(join(rig.root, 'outside'), join(rig.project, 'link'));
    const wrong = ['@project/..', '@project/nothing', '@project/link/x', '@state', '/etc', 'README.md', ''];
    for (const path of wrong) {
      const response = await rig.call(`/api/v1/projects/${projectId}/files/reveal`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ path }),
      });
      expect({ path, isRefused: response.status >= 400 && response.status < 500 }).toEqual({
        path,
        isRefused: true,
      });
      expect(await response.text()).not.toContain(rig.root);
    }
    await expect(readFile(join(rig.root, 'record'))).rejects.toThrow('ENOENT');
    expect(rig.bugs).toEqual([]);
  });

  it('is rejected in one sentence if there is no desktop', async () => {
    const rig = await createServerRig();
    const projectId = await openProject(rig);
    for (const name of ['DISPLAY', 'WAYLAND_DISPLAY']) vi.stubEnv(name, '');
    await expect(
      rig.client.files.reveal({ projectId, body: { path: '@project/README.md' } }),
    ).rejects.toMatchObject({ code: 'NO_DESKTOP', status: 409 });
  });

  it('does no harm on a desktop without a file manager', async () => {
    const rig = await createServerRig();
    const projectId = await openProject(rig);
    vi.stubEnv('PATH', join(rig.root, 'nowhere'));
    vi.stubEnv('DISPLAY', ':9');
    await rig.client.files.reveal({ projectId, body: { path: '@project/README.md' } });
    expect(await rig.client.system.show()).toMatchObject({ canReveal: true });
  });
});
