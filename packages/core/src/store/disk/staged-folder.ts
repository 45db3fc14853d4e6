/**
 * Folders of the store that are created and deleted atomically: a folder is filled under a temporary name and renamed when
 * complete, and renamed again before it is deleted. Temporary names are in a folder of their own beside the parent, so that finding
 * those of dead processes does not take longer the more folders there are.
 */
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createFolders, renameEntry } from '../../base/durable-files.ts';
import { errnoOf } from '../../base/errno.ts';
import { removeTree } from '../../base/remove-tree.ts';
import { isMissing } from '../../base/small-files.ts';
import { isAlive, parseStagingName, stagingName } from '../../base/staging.ts';
import type { FileLock } from './locks/file-lock.ts';

const stagingsOf = (parent: string): string => join(dirname(parent), '.staged');

/** Runs `publish`, which must be short, or throws instead. */
export type Publishing = (publish: () => Promise<void>) => Promise<void>;

/**
 * `fill` syncs the files it writes; the folder is durable when this resolves. If `fill` fails, `publishing` gets the chance
 * to throw a better error, such as a forgotten project.
 */
export async function publishFolder(
  folder: string,
  fill: (staging: string) => Promise<void>,
  publishing: Publishing = (publish) => publish(),
): Promise<void> {
  const parent = dirname(folder);
  const stagings = stagingsOf(parent);
  const topmosts = { stagings: await createFolders(stagings), parent: await createFolders(parent) };
  await sweep(stagings, Number.POSITIVE_INFINITY);
  const staging = join(stagings, stagingName('creating'));
  const make = async (): Promise<void> => {
    mkdirSync(staging, { mode: 0o700 });
    await fill(staging);
  };
  try {
    await make().catch((error: unknown) => publishing(() => Promise.reject(error)));
    await publishing(() => renameEntry(staging, folder));
  } catch (error) {
    await removeTree(staging);
    await removeEmptyFolders(parent, topmosts.parent);
    await removeEmptyFolders(stagings, topmosts.stagings);
    throw error;
  }
}

/**
 * Puts another folder in the place of one that exists. No system does both renames at once: if the process dies between them,
 * `restoreReplaced` brings the old folder back. Releases `lock`, whose file is in the old folder.
 */
export async function replaceFolder(
  folder: string,
  fill: (staging: string) => Promise<void>,
  lock: FileLock,
  publishing?: Publishing,
): Promise<void> {
  const parent = dirname(folder);
  const replaced = join(stagingsOf(parent), stagingName(REPLACED));
  const old = join(replaced, basename(parent), basename(folder));
  try {
    await publishFolder(folder, fill, async (publish) => {
      const replace = async (): Promise<void> => {
        await createFolders(dirname(old));
        // Windows cannot rename a folder with an open file in it.
        if (process.platform === 'win32') await lock.release();
        await renameEntry(folder, old);
        try {
          await publish();
        } catch (error) {
          await renameEntry(old, folder);
          throw error;
        }
      };
      await (publishing ? publishing(replace) : replace());
    });
  } finally {
    await lock.release();
    await removeTree(replaced);
  }
}

const REPLACED = 'replacing';

/** Brings back folders of dead processes that died while they replaced them. */
export async function restoreReplaced(parent: string): Promise<void> {
  const stagings = stagingsOf(parent);
  for (const name of isMissing(stagings) ? [] : readdirSync(stagings)) {
    const staging = parseStagingName(name);
    if (staging?.kind === REPLACED && !isAlive(staging.pid)) await restore(join(stagings, name));
  }
}

/** If the new folder is there, the old one is no longer needed. */
async function restore(replaced: string): Promise<void> {
  const root = dirname(dirname(replaced));
  for (const kind of readdirSync(replaced))
    for (const name of readdirSync(join(replaced, kind)))
      if (isMissing(join(root, kind, name)))
        await renameEntry(join(replaced, kind, name), join(root, kind, name));
  await removeTree(replaced);
}

/** From `folder` up to `topmost`, if there is one, stopping at the first that is not empty. */
async function removeEmptyFolders(folder: string, topmost: string | undefined): Promise<void> {
  if (topmost === undefined) return;
  try {
    for (let empty = folder; empty.length >= topmost.length; empty = dirname(empty)) await rmdir(empty);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

/** Deletes a folder with its content. Releases `lock`, whose file is in the folder. */
export async function retireFolder(folder: string, lock: FileLock): Promise<void> {
  let trashed: TrashedFolder;
  try {
    trashed = await moveToTrash(folder, lock);
  } finally {
    await lock.release();
  }
  await trashed.remove();
}

/** A folder that was renamed to a temporary name. */
export interface TrashedFolder {
  /** Permanently. */
  remove(): Promise<void>;
  putBack(): Promise<void>;
}

/** Reversible. Releases `lock` only on Windows. */
export async function moveToTrash(folder: string, lock: FileLock): Promise<TrashedFolder> {
  const stagings = stagingsOf(dirname(folder));
  await createFolders(stagings);
  const trashed = join(stagings, stagingName('removing'));
  // Windows cannot rename a folder with an open file in it.
  if (process.platform === 'win32') await lock.release();
  await renameEntry(folder, trashed);
  return {
    remove: () => removeTree(trashed),
    putBack: () => renameEntry(trashed, folder),
  };
}

/**
 * Deletes folders that dead processes were creating or deleting, and those older than `staleMs`: the id of their process may be
 * in use again. Earlier versions had them in `parent` itself.
 */
export async function sweepStagedFolders(parent: string, staleMs = Number.POSITIVE_INFINITY): Promise<void> {
  for (const folder of [parent, stagingsOf(parent)]) await sweep(folder, staleMs);
}

async function sweep(parent: string, staleMs: number): Promise<void> {
  for (const name of isMissing(parent) ? [] : readdirSync(parent)) {
    const staging = parseStagingName(name);
    if (!staging || (isAlive(staging.pid) && !isOlder(parent, name, staleMs))) continue;
    await (staging.kind === REPLACED ? restore(join(parent, name)) : removeTree(join(parent, name)));
  }
}

function isOlder(parent: string, name: string, ms: number): boolean {
  if (ms === Number.POSITIVE_INFINITY) return false;
  const found = statSync(join(parent, name), { throwIfNoEntry: false });
  return !found || Date.now() - found.mtimeMs > ms;
}
