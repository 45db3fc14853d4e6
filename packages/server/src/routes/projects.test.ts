import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createServerRig } from '../testing/server-rig.ts';

describe('projects', () => {
  it('[H22] are opened, made, listed and linked anew', async () => {
    const { client, project, root } = await createServerRig();
    const opened = await client.projects.open({ body: { path: project } });
    expect(opened).toMatchObject({ name: 'project', path: project, exists: true });
    const made = await client.projects.open({ body: { path: join(root, 'new', 'one'), create: true } });
    expect(made).toMatchObject({ name: 'one', exists: true });
    const { projects } = await client.projects.list();
    expect(projects.map(({ projectId }) => projectId).sort()).toEqual(
      [made.projectId, opened.projectId].sort(),
    );
    expect(await client.projects.open({ body: { path: project } })).toMatchObject({
      projectId: opened.projectId,
    });

    await rename(project, join(root, 'moved'));
    const { projectId } = opened;
    expect(await client.projects.show({ projectId })).toMatchObject({ exists: false });
    const linked = await client.projects.relink({ projectId, body: { path: join(root, 'moved') } });
    expect(linked).toMatchObject({ projectId, name: 'moved', exists: true });
    expect(await client.projects.close({ projectId })).toBeUndefined();
  });

  it('[H22] that are not there, and the store itself, are refused', async () => {
    const { client, root, runtime } = await createServerRig();
    const open = (path: string) => client.projects.open({ body: { path } });
    await expect(open(join(root, 'nowhere'))).rejects.toMatchObject({
      code: 'PROJECT_NOT_FOUND',
      status: 404,
    });
    await expect(open(root)).rejects.toMatchObject({ code: 'USAGE' });
    await expect(open(join(runtime.store.root))).rejects.toMatchObject({ code: 'USAGE' });
    const projectId = '01a1de7a-846b-7205-b1df-136fc8f565ee';
    await expect(client.projects.show({ projectId })).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' });
    await expect(client.projects.close({ projectId })).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' });
  });
});

describe('the folder picker', () => {
  it('[H23] tells folders and links to folders, by name, never files', async () => {
    const { client, root } = await createServerRig();
    const place = join(root, 'place');
    for (const name of ['b', 'a', '.hidden']) await mkdir(join(place, name), { recursive: true });
    await writeFile(join(place, 'file.txt'), 'secret');
    await symlink(join(root, 'project'), join(place, 'link'));
    await symlink(join(place, 'file.txt'), join(place, 'file-link'));
    const list = await client.folders.list({ query: { path: place } });
    expect(list).toMatchObject({ path: place, parent: root, isCut: false });
    expect(list.folders).toEqual(['a', 'b', 'link'].map((name) => ({ name, path: join(place, name) })));
    const all = await client.folders.list({ query: { path: place, hidden: 'true' } });
    expect(all.folders.map(({ name }) => name)).toContain('.hidden');
    expect(list.roots[0]).toMatchObject({ name: 'Home' });
  });

  it('[H23] begins at home and ends at the top', async () => {
    const { client } = await createServerRig();
    const home = await client.folders.list();
    expect(home.path).toBe(home.roots[0]?.path);
    expect((await client.folders.list({ query: { path: '/' } })).parent).toBeUndefined();
  });

  it('[H23] refuses what is no folder and no full path', async () => {
    const { client, project } = await createServerRig();
    const list = (path: string) => client.folders.list({ query: { path } });
    await expect(list(join(project, 'README.md'))).rejects.toMatchObject({ code: 'FOLDER_NOT_FOUND' });
    await expect(list(join(project, 'nowhere'))).rejects.toMatchObject({ code: 'FOLDER_NOT_FOUND' });
    for (const path of ['.', 'project', '../x', '~'])
      await expect(list(path)).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('[H23] makes folders with plain names', async () => {
    const { client, project: parent } = await createServerRig();
    const create = (name: string) => client.folders.create({ body: { parent, name } });
    expect(await create('neu')).toEqual({ name: 'neu', path: join(parent, 'neu') });
    await expect(create('neu')).rejects.toMatchObject({ code: 'TARGET_EXISTS' });
    for (const name of ['.', '..', 'a/b', 'a\\b', ' ', 'nul', 'x.', 'a\nb'])
      await expect(create(name)).rejects.toMatchObject({ code: 'USAGE' });
    await expect(
      client.folders.create({ body: { parent: join(parent, 'no'), name: 'x' } }),
    ).rejects.toMatchObject({
      code: 'FOLDER_NOT_FOUND',
    });
  });
});
