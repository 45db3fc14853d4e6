/**
 * Requests that the process running a Work stop it: a file is created in the folder of the Work, which the process watches.
 */
import { constants, type FSWatcher, lstatSync, statSync, watch } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { CrewError } from '../../../base/crew-error.ts';
import { errnoOf, ifSystemAllows, withDiskErrors } from '../../../base/errno.ts';

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

/** If the system announces changes, polls are only for those that it loses. */
const POLL_MS = { announced: 2_000, silent: 250 };

/** Calls `onStop` for each request. Does not keep the process alive. Returns a function that ends the watch. */
export function watchForStop(file: string, onStop: () => void): () => void {
  let isWatching = true;
  let isStopping = false;
  const check = async (): Promise<void> => {
    if (!isWatching || isStopping || !exists(file)) return;
    isStopping = true;
    // A request counts even if its file cannot be deleted.
    await clearStop(file).catch(() => undefined);
    isStopping = false;
    onStop();
  };
  const onChange = (): void => void check();
  const watcher = watchForName(file, onChange);
  const timer = setInterval(onChange, watcher ? POLL_MS.announced : POLL_MS.silent).unref();
  return () => {
    isWatching = false;
    clearInterval(timer);
    watcher?.close();
  };
}

/** Undefined where the system cannot. A watched folder cannot be moved on Windows. */
function watchForName(file: string, onChange: () => void): FSWatcher | undefined {
  if (process.platform === 'win32') return undefined;
  return ifSystemAllows(() =>
    watch(dirname(file), { persistent: false }, (_, name) => {
      // A run changes other files of its folder all the time. Some systems name no file.
      if (name === null || name === basename(file)) onChange();
      // The folder may be deleted; the polls go on.
    }).on('error', () => undefined),
  );
}

/** Discards a request; for a run that is about to start. */
export async function clearStop(file: string): Promise<void> {
  await withDiskErrors('Could not clear a request to stop', async () => {
    // Nearly always there is none, which this finds at a tenth of the cost.
    if (lstatSync(file, { throwIfNoEntry: false })) await rm(file, { force: true });
  });
}

/** False on errors: the next poll tries again. */
function exists(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
