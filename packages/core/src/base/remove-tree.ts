/**
 * Deletes a folder with its content, including read-only folders; links are removed, not followed.
 */
import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from './errno.ts';

export async function removeTree(path: string): Promise<void> {
  const pending = [path];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    try {
      if (!(await lstat(folder)).isDirectory()) continue;
      await chmod(folder, 0o700);
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        if (entry.isDirectory()) pending.push(join(folder, entry.name));
      }
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
  }
  await rm(path, { recursive: true, force: true });
}
