import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sampleConversation } from '../../testing/sample-conversation.ts';
import { sampleDraft } from '../../testing/sample-record.ts';
import { readTree, tempFolder } from '../../testing/temp-folder.ts';
import { measureStore } from './measure-store.ts';
import { openDiskStore } from './open-store.ts';
import { createWork } from './work-folders.ts';

const now = (): Date => new Date();

async function sizeOf(folder: string): Promise<number> {
  const contents = Object.values(await readTree(folder));
  return contents.filter((text) => !text.startsWith('-> ')).reduce((sum, text) => sum + text.length, 0);
}

describe('the size of the store', () => {
  it('[H22] is the sum of its files, by project and for packages', async () => {
    const root = await tempFolder();
    const store = openDiskStore(join(root, 'store'));
    const empty = { bytes: 0, packages: { count: 0, bytes: 0 }, projects: [], isCut: false };
    expect(await store.measure()).toEqual(empty);

    for (const name of ['one', 'two']) await mkdir(join(root, name));
    const one = await store.projects.open(join(root, 'one'), { now });
    const two = await store.projects.open(join(root, 'two'), { now });
    const { projectId } = one;
    for (let count = 0; count < 3; count++) await createWork(store, sampleDraft({ projectId }), { now });
    await createWork(store, sampleConversation({ projectId }), { now });
    await mkdir(join(store.packagesFolder, 'a'.repeat(64), 'steps'), { recursive: true });
    await writeFile(join(store.packagesFolder, 'a'.repeat(64), 'steps', 'x.md'), 'x'.repeat(1_000));
    const sizes = await store.measure();
    expect(sizes.packages).toEqual({ count: 1, bytes: 1_000 });
    expect(sizes.projects).toContainEqual({
      projectId,
      runs: 3,
      conversations: 1,
      bytes: await sizeOf(store.projectFolder(projectId)),
    });
    expect(sizes.projects).toContainEqual({
      projectId: two.projectId,
      runs: 0,
      conversations: 0,
      bytes: 0,
    });
    expect(sizes.bytes).toBe(await sizeOf(store.root));
  });

  it('[H22] follows no links, and stops at a limit', async () => {
    const root = await tempFolder();
    const store = openDiskStore(join(root, 'store'));
    await mkdir(join(root, 'outside'));
    await writeFile(join(root, 'outside', 'large'), 'x'.repeat(100_000));
    await mkdir(store.projectsFolder, { recursive: true });
    await symlink(join(root, 'outside'), join(store.projectsFolder, 'link'));
    await symlink('.', join(store.root, 'self'));
    expect((await store.measure()).bytes).toBeLessThan(1_000);
    for (let count = 0; count < 20; count++) await writeFile(join(store.root, `f${count}`), 'x');
    expect(await measureStore(store, [], 10)).toMatchObject({ isCut: true });
    expect(await measureStore(store, [], 1_000)).toMatchObject({ isCut: false });
  });
});
