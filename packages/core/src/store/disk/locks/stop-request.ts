/**
 * Requests that the process running a Work stop it: a file is created in the folder of the Work, and the process polls for it.
 */
import { constants, open, rm, stat } from 'node:fs/promises';
import { CrewError } from '../../../base/crew-error.ts';
import { errnoOf, withDiskErrors } from '../../../base/errno.ts';

// A symbolic link is not followed.
const FLAGS = constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

export async function requestStop(file: string): Promise<void> {
  await withDiskErrors('Could not ask the run to stop', async () => {
    try {
      await (await open(file, FLAGS, 0o600)).close();
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
      throw new CrewError('RUN_NOT_FOUND', 'The run no longer exists.', { cause: error });
    }
  });
}

const POLL_INTERVAL_MS = 250;

/** Calls `onStop` for each request. Does not keep the process alive. Returns a function that ends the watch. */
export function watchForStop(file: string, onStop: () => void): () => void {
  let isWatching = true;
  let timer: NodeJS.Timeout;
  const poll = async (): Promise<void> => {
    const isRequested = await exists(file);
    if (!isWatching) return;
    if (isRequested) {
      // A request counts even if its file cannot be deleted.
      await clearStop(file).catch(() => undefined);
      onStop();
    }
    schedulePoll();
  };
  const schedulePoll = (): void => {
    if (!isWatching) return;
    timer = setTimeout(() => void poll(), POLL_INTERVAL_MS).unref();
  };
  schedulePoll();
  return () => {
    isWatching = false;
    clearTimeout(timer);
  };
}

/** Discards a request; for a run that is about to start. */
export async function clearStop(file: string): Promise<void> {
  await withDiskErrors('Could not clear a request to stop', () => rm(file, { force: true }));
}

/** False on errors: the next poll tries again. */
async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch {
    return false;
  }
}
