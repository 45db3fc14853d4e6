/**
 * Folders of the store that exist as a whole or not at all: each is filled under a name that is no id, is there from one
 * rename on, and gone with another. Knows nothing of what they hold.
 */
import { mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removeTree, syncFolder } from '../base/durable-files.ts';
import { errnoOf } from '../base/errno.ts';
import { isAlive, parseStagingName, stagingName } from '../base/staging.ts';
import type { FileLock } from './file-lock.ts';
import { makePrivateFolder } from './store-file.ts';

/** `fill` makes what it puts into the folder durable; the folder itself is when this resolves. */
export async function publishFolder(folder: string, fill: (staging: string) => Promise<void>): Promise<void> {
  const parent = dirname(folder);
  await makePrivateFolder(parent);
  await sweepStagedFolders(parent);
  const staging = join(parent, stagingName('creating'));
  try {
    await mkdir(staging, { mode: 0o700 });
    await fill(staging);
    await rename(staging, folder);
  } catch (error) {
    await removeTree(staging);
    throw error;
  }
  await syncFolder(parent);
}

/** Deletes a folder with everything in it. The lock is the one in it, and is let go of. */
export async function retireFolder(folder: string, lock: FileLock): Promise<void> {
  const parent = dirname(folder);
  const doomed = join(parent, stagingName('removing'));
  try {
    // Windows moves no folder in which a file is open.
    if (process.platform === 'win32') await lock.release();
    await rename(folder, doomed);
  } finally {
    await lock.release();
  }
  await syncFolder(parent);
  await removeTree(doomed);
}

/** Deletes what processes that are gone left half made or half deleted. */
export async function sweepStagedFolders(parent: string): Promise<void> {
  for (const name of await namesIn(parent)) {
    const staging = parseStagingName(name);
    if (staging && !isAlive(staging.pid)) await removeTree(join(parent, name));
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
