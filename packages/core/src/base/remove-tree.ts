/**
 * Deletes a folder with its content, including read-only folders; links are removed, not followed.
 */
import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bareEnvironment } from './bare-environment.ts';
import { errnoOf } from './errno.ts';

export async function removeTree(path: string): Promise<void> {
  try {
    await removeByPath(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENAMETOOLONG' || process.platform === 'win32') throw error;
    // Programs can nest folders deeper than a path can be long; these tools walk relative to each folder.
    const { execFile } = await import('node:child_process');
    await promisify(execFile)('/bin/sh', ['-c', 'chmod -R u+rwx -- "$1"; rm -rf -- "$1"', 'sh', path], {
      env: bareEnvironment(['PATH']),
    });
  }
}

async function removeByPath(path: string): Promise<void> {
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
