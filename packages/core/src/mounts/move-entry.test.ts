import { renameSync } from 'node:fs';
import { link, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errnoOf } from '../base/errno.ts';
import { readTree, tempFolder, writeTree } from '../testing/temp-folder.ts';
import { walk } from './folder-walk.ts';
import { moveEntry, type NamedOpenPath } from './move-entry.ts';
import { SandboxViolation } from './sandbox-violation.ts';

/** A name in a folder. `found`: the entry a file system finds by that name if it ignores case or Unicode form. */
function openPathAt(root: string, folder: string, name: string, found = name): NamedOpenPath {
  const openPath = walk(root, [...folder.split('/'), name], { isExact: true, isHeld: false });
  onTestFinished(() => openPath.close());
  return { ...openPath, name, filePath: join(openPath.folderPath, found) };
}

async function outcome(work: () => Promise<void>): Promise<unknown> {
  try {
    await work();
    return 'moved';
  } catch (error) {
    return error instanceof SandboxViolation ? error.reason : (errnoOf(error) ?? error);
  }
}

async function createRoot(): Promise<string> {
  const root = await tempFolder();
  await writeTree(root, { 'dir/a.md': 'a', 'dir/b.md': 'b' });
  await mkdir(join(root, 'other'));
  return root;
}

describe('a new name that exists', () => {
  it('[F8] is accepted if it is the same entry in another spelling', async () => {
    const root = await createRoot();
    const [from, to] = [openPathAt(root, 'dir', 'a.md'), openPathAt(root, 'dir', 'A.md', 'a.md')];
    expect(await outcome(() => moveEntry(from, to))).toBe('moved');
  });

  it('[F8] is rejected if it is the same entry under a short name', async () => {
    const root = await createRoot();
    const [from, to] = [openPathAt(root, 'dir', 'a.md'), openPathAt(root, 'dir', 'A~1.MD', 'a.md')];
    expect(await outcome(() => moveEntry(from, to))).toBe('EEXIST');
  });

  it('[F8] is rejected if it is another file in another spelling', async () => {
    const root = await createRoot();
    const [from, to] = [openPathAt(root, 'dir', 'a.md'), openPathAt(root, 'dir', 'A.md', 'b.md')];
    expect(await outcome(() => moveEntry(from, to))).toBe('EEXIST');
    expect(await readFile(join(root, 'dir/b.md'), 'utf8')).toBe('b');
  });

  it('[F8] is rejected if it is a second hard link, in the same or in another folder', async () => {
    const root = await createRoot();
    await link(join(root, 'dir/a.md'), join(root, 'dir/A.md'));
    await link(join(root, 'dir/a.md'), join(root, 'other/a.md'));
    const from = openPathAt(root, 'dir', 'a.md');
    for (const to of [openPathAt(root, 'dir', 'A.md'), openPathAt(root, 'other', 'A.md', 'a.md')])
      expect(await outcome(() => moveEntry(from, to))).toBe('EEXIST');
  });
});

describe('folders opened by path', () => {
  it.each(['dir', 'other'])('[F1] prevent a move if %s was replaced', async (swapped) => {
    const root = await createRoot();
    const [from, to] = [openPathAt(root, 'dir', 'a.md'), openPathAt(root, 'other', 'a.md')];
    renameSync(join(root, swapped), join(root, 'parked'));
    await writeTree(root, { [`${swapped}/${swapped === 'dir' ? 'a' : 'c'}.md`]: 'another' });
    const before = await readTree(root);
    expect(await outcome(() => moveEntry(from, to))).toBe('link');
    expect(await readTree(root)).toEqual(before);
  });
});
