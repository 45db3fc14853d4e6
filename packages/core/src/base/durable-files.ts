/**
 * Writing that survives a crash: a file is either the old one or the new one, never torn,
 * and what was reported as written is on the disk. Knows nothing of what it writes.
 */
import { chmod, type FileHandle, lstat, open, readdir, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf } from './errno.ts';
import { stagingName } from './staging.ts';

/** Replaces `target` with whatever `write` puts into the handle: temp file, fsync, rename, fsync of the folder. */
export async function replaceFile(
  target: string,
  write: (handle: FileHandle) => Promise<void>,
  mode = 0o600,
): Promise<void> {
  const folder = dirname(target);
  const temp = join(folder, stagingName('writing'));
  const handle = await open(temp, 'wx', mode);
  try {
    try {
      await write(handle);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temp, target);
  } catch (error) {
    await unlink(temp).catch(() => undefined);
    throw error;
  }
  await syncFolder(folder);
}

/** Makes new names in a folder durable. Windows cannot open a folder and does not need it. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Deletes a folder with all it holds, read-only folders included; links are removed, never followed. */
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
