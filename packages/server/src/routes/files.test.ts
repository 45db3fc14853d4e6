import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileWatchMessage } from '@crewagent/protocol/api/files';
import { describe, expect, it } from 'vitest';
import { createServerRig, type ServerRig } from '../testing/server-rig.ts';

async function openProject({ client, project }: ServerRig): Promise<string> {
  return (await client.projects.open({ body: { path: project } })).projectId;
}

describe('the files of a project', () => {
  it('[F21] are listed, read, saved against their hash, moved, removed and brought back', async () => {
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

  it('[F21] as they are come as downloads that no page runs', async () => {
    const rig = await createServerRig();
    const projectId = await openProject(rig);
    await writeFile(join(rig.project, 'page "1".html'), '<script>alert(1)</script>');
    const path = encodeURIComponent('@project/page "1".html');
    const response = await rig.call(`/api/v1/projects/${projectId}/file/bytes?path=${path}`);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('<script>alert(1)</script>');
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename\*=UTF-8''page%20%221/);
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('[F21] outside of the project, and secret ones, are refused', async () => {
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

  it('[F22] are followed as they change', async () => {
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
