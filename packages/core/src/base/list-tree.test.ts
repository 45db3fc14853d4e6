import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { listTree } from './list-tree.ts';

it('lists a folder with its content, and links without what they lead to', async () => {
  const folder = await tempFolder();
  await writeTree(folder, { 'inside/a/b.txt': 'b', 'inside/c.txt': 'c', 'outside/d.txt': 'd' });
  symlinkSync('..', join(folder, 'inside/a/back'));
  symlinkSync('../outside', join(folder, 'inside/out'));
  const found = [...listTree(join(folder, 'inside'))];
  expect(found.map(({ path }) => path).sort()).toEqual(['a', 'a/b.txt', 'a/back', 'c.txt', 'out']);
  expect(found.filter(({ entry }) => entry.isFile()).map(({ path }) => path)).toHaveLength(2);
});
