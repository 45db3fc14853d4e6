/**
 * Asking a run that another process works on to stop: a file appears in the run's folder, the process looks for it.
 */
import { constants, open, rm, stat } from 'node:fs/promises';
import { CrewError } from '../../base/crew-error.ts';
import { errnoOf, withDiskErrors } from '../../base/errno.ts';

// A link in that place is not followed.
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

const LOOK_EVERY_MS = 250;

/** Calls `onStop` whenever somebody asks; keeps no process alive. Answers how to end the watch. */
export function watchForStop(file: string, onStop: () => void): () => void {
  let isWatching = true;
  let timer: NodeJS.Timeout;
  const look = async (): Promise<void> => {
    const isAsked = await isThere(file);
    if (!isWatching) return;
    if (isAsked) {
      // A request that cannot be deleted is still one.
      await clearStop(file).catch(() => undefined);
      onStop();
    }
    lookLater();
  };
  const lookLater = (): void => {
    if (!isWatching) return;
    timer = setTimeout(() => void look(), LOOK_EVERY_MS).unref();
  };
  lookLater();
  return () => {
    isWatching = false;
    clearTimeout(timer);
  };
}

/** Forgets a request; for a run that is about to start. */
export async function clearStop(file: string): Promise<void> {
  await withDiskErrors('Could not clear a request to stop', () => rm(file, { force: true }));
}

/** A look that fails is as good as none; the next one follows. */
async function isThere(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch {
    return false;
  }
}
