import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, realpath, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { driverPath } from '../testing/driver-path.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { type DiskStore, openDiskStore } from './disk/open-store.ts';
import { withApproval } from './project-store.ts';

let minute = 0;
const now = (): Date => new Date(Date.UTC(2026, 0, 31, 9, minute++));

async function createStoreAndProject(): Promise<{ store: DiskStore; root: string; project: string }> {
  const root = await realpath(await tempFolder());
  const project = join(root, 'work');
  await mkdir(project);
  return { store: openDiskStore(join(root, 'store')), root, project };
}

describe('a project', () => {
  it('[A20] has the same id for every path to its folder', async () => {
    const { store, root, project } = await createStoreAndProject();
    const opened = await store.projects.open(project, { now });
    expect(opened).toMatchObject({ path: project, name: 'work', approvals: [] });
    await symlink(project, join(root, 'link'));
    for (const way of [`${project}/`, join(root, 'link'), join(project, '..', 'work')]) {
      const again = await store.projects.open(way, { now });
      expect(again).toEqual({ ...opened, lastOpenedAt: again.lastOpenedAt });
      expect(again.lastOpenedAt > opened.lastOpenedAt).toBe(true);
    }
    expect(await store.projects.list()).toHaveLength(1);
    expect((await store.projects.read(opened.projectId)).path).toBe(project);
  });

  it('[A20] has another id in another folder; the last opened is listed first', async () => {
    const { store, root, project } = await createStoreAndProject();
    const other = join(root, 'WORK');
    await mkdir(other, { recursive: true });
    const [one, two] = [
      await store.projects.open(project, { now }),
      await store.projects.open(other, { now }),
    ];
    // On a case-insensitive disk, both names are one folder, and one project.
    const isOneFolder = (await readdir(root)).filter((name) => /^work$/i.test(name)).length === 1;
    expect(one.projectId === two.projectId).toBe(isOneFolder);
    expect((await store.projects.list())[0]?.projectId).toBe(two.projectId);
  });

  it('[A20] can be linked to the new path of its folder', async () => {
    const { store, root, project } = await createStoreAndProject();
    const first = await store.projects.open(project, { now });
    await store.projects.update(first.projectId, (latest) =>
      withApproval(latest, { tool: 'fs.write', path: '@project/a.md' }),
    );
    const moved = join(root, 'moved');
    await rename(project, moved);
    const unaware = await store.projects.open(moved, { now });
    expect(unaware.projectId).not.toBe(first.projectId);
    const linked = await store.projects.relink(first.projectId, moved);
    expect(linked).toMatchObject({ projectId: first.projectId, path: moved, name: 'moved' });
    expect(linked.approvals).toHaveLength(1);
    expect((await store.projects.open(moved, { now })).projectId).toBe(first.projectId);
    expect(await store.projects.read(unaware.projectId)).toMatchObject({ isDetached: true });
    await mkdir(project);
    expect((await store.projects.open(project, { now })).projectId).not.toBe(first.projectId);
    expect(await store.projects.relink(unaware.projectId, join(root, 'moved'))).not.toHaveProperty(
      'isDetached',
    );
  });

  it('[A20] must be a folder', async () => {
    const { store, root, project } = await createStoreAndProject();
    await writeFile(join(root, 'file'), '');
    const refusals: [path: string, text: string][] = [
      [join(root, 'none'), 'There is no folder at'],
      [join(root, 'file'), 'is a file; a project is a folder'],
      [join(root, 'file', 'below'), 'There is no folder at'],
    ];
    const { projectId } = await store.projects.open(project, { now });
    for (const [path, text] of refusals) {
      const expected = { code: 'FOLDER_NOT_FOUND', message: expect.stringContaining(text) as string };
      await expect(store.projects.open(path, { now })).rejects.toMatchObject(expected);
      await expect(store.projects.relink(projectId, path)).rejects.toMatchObject(expected);
    }
    await expect(store.projects.read('nonsense')).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' });
    await expect(store.projects.relink('nonsense', project)).rejects.toMatchObject({
      code: 'PROJECT_NOT_FOUND',
    });
    expect(await store.projects.list()).toHaveLength(1);
  });

  it('[A20] cannot contain the store or be inside it', async () => {
    const { store, root } = await createStoreAndProject();
    await mkdir(join(store.root, 'inside'), { recursive: true });
    await symlink(store.root, join(root, 'link'));
    for (const path of [root, store.root, join(store.root, 'inside'), join(root, 'link')])
      await expect(store.projects.open(path, { now })).rejects.toMatchObject({ code: 'USAGE' });
    await mkdir(`${store.root}-beside`);
    await mkdir(join(root, '..store'));
    for (const path of [`${store.root}-beside`, join(root, '..store')])
      await expect(store.projects.open(path, { now })).resolves.toMatchObject({ path });
  });

  it('stores each standing approval once', async () => {
    const { store, project } = await createStoreAndProject();
    const { projectId } = await store.projects.open(project, { now });
    const approval = { tool: 'fs.write', path: '@project/src/a.ts' };
    await store.projects.update(projectId, (latest) => withApproval(latest, approval));
    await store.projects.update(projectId, (latest) =>
      withApproval(latest, { ...approval, tool: 'fs.apply_patch' }),
    );
    await store.projects.update(projectId, (latest) => withApproval(latest, approval));
    expect((await store.projects.read(projectId)).approvals).toHaveLength(2);
  });

  it('[A23] is not lost when several processes open projects at once', async () => {
    const { store, root } = await createStoreAndProject();
    const driver = driverPath('store-driver');
    const folders = await Promise.all(
      Array.from({ length: 4 }, async (_, child) => {
        const own = Array.from({ length: 6 }, (__, count) => join(root, `p${child}-${count}`));
        await Promise.all(own.map((folder) => mkdir(folder)));
        return own;
      }),
    );
    const shared = join(root, 'shared');
    await mkdir(shared);
    const outputs = await Promise.all(
      folders.map(async (own) => {
        const child = spawn(process.execPath, [driver, 'open projects', store.root, ...own, shared], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        let text = '';
        child.stdout.setEncoding('utf8').on('data', (more: string) => {
          text += more;
        });
        expect(await once(child, 'close')).toEqual([0, null]);
        return text.trim().split('\n');
      }),
    );
    const projects = await store.projects.list();
    expect(projects.map(({ path }) => path).sort()).toEqual([...folders.flat(), shared].sort());
    expect(projects.map(({ projectId }) => projectId).sort()).toEqual([...new Set(outputs.flat())].sort());
    expect((await readdir(store.root)).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('[A25] is not dropped when the list is damaged', async () => {
    const { store, project } = await createStoreAndProject();
    await store.projects.open(project, { now });
    const damaged = (await readFile(store.projectList, 'utf8')).slice(0, -10);
    await writeFile(store.projectList, damaged);
    await expect(store.projects.open(project, { now })).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await expect(store.projects.list()).rejects.toMatchObject({ details: { file: store.projectList } });
    expect(await readFile(store.projectList, 'utf8')).toBe(damaged);
  });
});
