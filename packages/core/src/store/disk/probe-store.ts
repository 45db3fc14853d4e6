/** Checks whether a store can be written: a file is created, locked and deleted, as a run would do it. */
import { existsSync } from 'node:fs';
import { access, constants, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { errnoSentence } from '../../base/errno.ts';
import { stagingName } from '../../base/staging.ts';
import type { StoreProbe } from '../store.ts';
import { tryKernelLock } from './locks/kernel-lock.ts';

export async function probeStore(root: string): Promise<StoreProbe> {
  if (existsSync(root)) return { exists: true, ...(await probeFolder(root)) };
  const { hasKernelLocks } = await probeFolder(tmpdir());
  const problem = await parentProblem(root);
  return { exists: false, hasKernelLocks, problem };
}

async function probeFolder(folder: string): Promise<Omit<StoreProbe, 'exists'>> {
  const file = join(folder, stagingName('writing'));
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      return { hasKernelLocks: tryKernelLock(handle.fd, { isShared: false }) === 'taken' };
    } finally {
      await handle.close();
      await rm(file, { force: true });
    }
  } catch (error) {
    const problem = errnoSentence(error);
    if (problem === undefined) throw error;
    return { problem, hasKernelLocks: false };
  }
}

/** Why a missing folder cannot be created. */
async function parentProblem(folder: string): Promise<string | undefined> {
  let parent = dirname(folder);
  while (!existsSync(parent) && parent !== dirname(parent)) parent = dirname(parent);
  try {
    await access(parent, constants.W_OK);
    return undefined;
  } catch (error) {
    return errnoSentence(error) ?? `"${parent}" is not writable`;
  }
}
