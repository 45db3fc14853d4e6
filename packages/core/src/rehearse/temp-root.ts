/**
 * A temporary folder for the store and the projects of simulated runs. Its name has the id of the process, so that the next start
 * removes the folders of processes that were killed.
 */
import { lstat, readdir, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errnoOf } from '../base/errno.ts';
import { removeTree } from '../base/remove-tree.ts';
import { isAlive } from '../base/staging.ts';
import { createTempFolder } from '../base/temp-folder.ts';

const PREFIX = 'crewagent-trial-';
const NAME = /^crewagent-trial-(\d+)-/;

export async function inTempRoot<T>(work: (root: string) => Promise<T>): Promise<T> {
  const root = await createTempFolder(`${PREFIX}${process.pid}-`);
  try {
    await removeStale();
    return await work(await realpath(root));
  } finally {
    await removeTree(root);
  }
}

async function removeStale(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(NAME.exec(name)?.[1] ?? process.pid);
    if (isAlive(pid)) continue;
    const path = join(tmpdir(), name);
    try {
      // Other users have theirs in the same folder.
      if ((await lstat(path)).uid === (process.getuid?.() ?? 0)) await removeTree(path);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
    }
  }
}
