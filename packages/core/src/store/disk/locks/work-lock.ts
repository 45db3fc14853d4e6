/** The lock of a Work: one process at a time uses it. */
import { CrewError } from '../../../base/crew-error.ts';
import { errnoOf, withDiskErrors } from '../../../base/errno.ts';
import type { WorkAddress } from '../../work-address.ts';
import { nounOf, workNotFound } from '../../work-records.ts';
import type { StoreLayout } from '../layout.ts';
import { type FileLock, isFileLocked, type LockOptions, lockFile } from './file-lock.ts';

export type WorkLock = FileLock;

/** Throws RUN_LOCKED while another process, or another part of this one, holds it. */
export async function takeWorkLock(
  store: StoreLayout,
  address: WorkAddress,
  options: LockOptions = {},
): Promise<WorkLock> {
  const noun = nounOf(address);
  const attempt = await withDiskErrors(`Could not lock the ${noun}`, async () => {
    try {
      return await lockFile(store.work(address).lock, options);
    } catch (error) {
      throw errnoOf(error) === 'ENOENT' ? workNotFound(address, error) : error;
    }
  });
  if (attempt.isAccepted) return attempt.lock;
  const { pid } = attempt;
  throw new CrewError(
    'RUN_LOCKED',
    `${toSubject(pid)} is working on this ${noun}; wait for it, or stop it first.`,
    { details: pid === undefined ? {} : { pid } },
  );
}

/** Like `takeWorkLock`; undefined if the Work no longer exists. */
export async function lockIfThere(store: StoreLayout, address: WorkAddress): Promise<WorkLock | undefined> {
  try {
    return await takeWorkLock(store, address);
  } catch (error) {
    if (error instanceof CrewError && error.code === workNotFound(address).code) return undefined;
    throw error;
  }
}

export async function isWorkLocked(
  store: StoreLayout,
  address: WorkAddress,
  options: LockOptions = {},
): Promise<boolean> {
  return withDiskErrors(`Could not check the lock of the ${nounOf(address)}`, () =>
    isFileLocked(store.work(address).lock, options),
  );
}

function toSubject(pid: number | undefined): string {
  if (pid === undefined) return 'Another process';
  return pid === process.pid ? 'This process' : `Another process (${pid})`;
}
