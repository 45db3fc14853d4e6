/**
 * Folders of the store that exist as a whole or not at all: each is filled under a name that is no id, is there from one
 * rename on, and gone with another. Knows nothing of what they hold.
 */
import { mkdir, readdir, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createFolders, renameEntry } from '../../base/durable-files.ts';
import { errnoOf } from '../../base/errno.ts';
import { removeTree } from '../../base/remove-tree.ts';
import { isAlive, parseStagingName, stagingName } from '../../base/staging.ts';
import type { FileLock } from './file-lock.ts';

/** Does `publish`, which takes no time to speak of, or refuses to. */
export type Publishing = (publish: () => Promise<void>) => Promise<void>;

/**
 * `fill` makes what it puts into the folder durable; the folder itself is when this resolves. Where it cannot be filled,
 * whoever publishes is asked first why not: its place may be gone because nothing may be there any more.
 */
export async function publishFolder(
  folder: string,
  fill: (staging: string) => Promise<void>,
  publishing: Publishing = (publish) => publish(),
): Promise<void> {
  const parent = dirname(folder);
  const topmost = await createFolders(parent);
  await sweepStagedFolders(parent);
  const staging = join(parent, stagingName('creating'));
  const make = async (): Promise<void> => {
    await mkdir(staging, { mode: 0o700 });
    await fill(staging);
  };
  try {
    await make().catch((error: unknown) => publishing(() => Promise.reject(error)));
    await publishing(() => renameEntry(staging, folder));
  } catch (error) {
    await removeTree(staging);
    if (topmost !== undefined) await removeEmptyFolders(parent, topmost);
    throw error;
  }
}

/** From `folder` up to `topmost`, as far as nobody put anything into them. */
async function removeEmptyFolders(folder: string, topmost: string): Promise<void> {
  try {
    for (let empty = folder; empty.length >= topmost.length; empty = dirname(empty)) await rmdir(empty);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

/** Deletes a folder with everything in it. The lock is the one in it, and is let go of. */
export async function retireFolder(folder: string, lock: FileLock): Promise<void> {
  let aside: TrashedFolder;
  try {
    aside = await moveToTrash(folder, lock);
  } finally {
    await lock.release();
  }
  await aside.remove();
}

/** A folder that is out of its place with all that is in it. */
export interface TrashedFolder {
  /** For good. */
  remove(): Promise<void>;
  putBack(): Promise<void>;
}

/** The first half of that, which can be taken back. The locks in the folder are let go of only where they must be. */
export async function moveToTrash(folder: string, lock: FileLock): Promise<TrashedFolder> {
  const parent = dirname(folder);
  const trashed = join(parent, stagingName('removing'));
  // Windows moves no folder in which a file is open.
  if (process.platform === 'win32') await lock.release();
  await renameEntry(folder, trashed);
  return {
    remove: () => removeTree(trashed),
    putBack: () => renameEntry(trashed, folder),
  };
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
