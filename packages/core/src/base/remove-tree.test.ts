import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { removeTree } from './remove-tree.ts';
import { isOnDisk } from './small-files.ts';

describe('removeTree', () => {
  it('removes folders, files and hidden entries, and nothing beside them', async () => {
    const parent = await tempFolder();
    await writeTree(parent, { 'a/b/c.md': '1', 'a/.d/e': '2', 'a/f': '', 'beside/g': '3' });
    await mkdir(join(parent, 'a/empty'));
    await removeTree(join(parent, 'a'));
    expect(await readdir(parent)).toEqual(['beside']);
    expect(await readFile(join(parent, 'beside/g'), 'utf8')).toBe('3');
  });

  it('removes what is read-only', async () => {
    const folder = join(await tempFolder(), 'a');
    await writeTree(folder, { 'b/c.md': '1' });
    await chmod(join(folder, 'b/c.md'), 0o400);
    await chmod(join(folder, 'b'), 0o500);
    await chmod(folder, 0o500);
    await removeTree(folder);
    expect(isOnDisk(folder)).toBe(false);
  });

  it.skipIf(process.platform === 'win32')('removes links, and not what they lead to', async () => {
    const parent = await tempFolder();
    await writeTree(parent, { 'kept/a.md': '1' });
    await mkdir(join(parent, 'removed'));
    await symlink('../kept', join(parent, 'removed/folder'));
    await symlink('../kept/a.md', join(parent, 'removed/file'));
    await symlink('nowhere', join(parent, 'removed/broken'));
    await symlink('kept', join(parent, 'link'));
    await removeTree(join(parent, 'removed'));
    await removeTree(join(parent, 'link'));
    expect(await readdir(parent)).toEqual(['kept']);
    expect(await readdir(join(parent, 'kept'))).toEqual(['a.md']);
  });

  it('removes a file, and accepts that there is nothing', async () => {
    const parent = await tempFolder();
    await writeFile(join(parent, 'a'), '1');
    await removeTree(join(parent, 'a'));
    await removeTree(join(parent, 'a'));
    expect(await readdir(parent)).toEqual([]);
  });

  it('lets other tasks run while it removes many files', async () => {
    const parent = await tempFolder();
    const names = Array.from({ length: 4_000 }, (_, index) => [`many/${index}`, ''] as const);
    await writeTree(parent, Object.fromEntries(names));
    let isOver = false;
    let turns = 0;
    const count = (): void => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await removeTree(join(parent, 'many'));
    isOver = true;
    expect(turns).toBeGreaterThan(1);
    expect(await readdir(parent)).toEqual([]);
  });
});
