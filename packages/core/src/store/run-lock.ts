/**
 * The lock of a run: one process at a time works on it.
 */
import { CrewError } from '../base/crew-error.ts';
import { errnoOf, withDiskErrors } from '../base/errno.ts';
import { type FileLock, isFileLocked, type LockOptions, lockFile } from './file-lock.ts';

export type RunLock = FileLock;

/** Throws RUN_LOCKED while another process, or another part of this one, works on the run. */
export async function takeRunLock(file: string, options: LockOptions = {}): Promise<RunLock> {
  const attempt = await withDiskErrors('Could not lock the run', async () => {
    try {
      return await lockFile(file, options);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
      throw new CrewError('RUN_NOT_FOUND', 'The run no longer exists.', { cause: error });
    }
  });
  if (attempt.isTaken) return attempt.lock;
  const { pid } = attempt;
  throw new CrewError(
    'RUN_LOCKED',
    `${toSubject(pid)} is working on this run; wait for it, or stop it first.`,
    {
      details: pid === undefined ? {} : { pid },
    },
  );
}

/** The same, undefined for what no longer exists. */
export async function lockIfThere(file: string): Promise<RunLock | undefined> {
  try {
    return await takeRunLock(file);
  } catch (error) {
    if (error instanceof CrewError && error.code === 'RUN_NOT_FOUND') return undefined;
    throw error;
  }
}

/** Whether somebody works on the run. */
export async function isRunLocked(file: string, options: LockOptions = {}): Promise<boolean> {
  return withDiskErrors('Could not look at the lock of the run', () => isFileLocked(file, options));
}

function toSubject(pid: number | undefined): string {
  if (pid === undefined) return 'Another process';
  return pid === process.pid ? 'This process' : `Another process (${pid})`;
}
