/**
 * Writes and reads whole trees of files, for tests and benchmarks.
 */
import { mkdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listTree } from '../base/list-tree.ts';

export async function writeTree(
  folder: string,
  files: Readonly<Record<string, string | Buffer>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** Every file below a folder with its content (links with their target), to compare before and after. */
export async function readTree(folder: string): Promise<Record<string, string>> {
  const tree: Record<string, string> = {};
  for (const { path: name, entry } of listTree(folder)) {
    const path = join(folder, name);
    if (entry.isSymbolicLink()) tree[name] = `-> ${await readlink(path)}`;
    else if (entry.isFile()) tree[name] = (await readFile(path)).toString('latin1');
    else tree[`${name}/`] = '';
  }
  return tree;
}
