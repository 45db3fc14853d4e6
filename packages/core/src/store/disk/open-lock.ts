/**
 * Opens lock files: only regular files in the folder itself. A symbolic link or a pipe instead is refused with
 * STORE_REFUSED, so that locking never creates, truncates or blocks on another file.
 */
import { closeSync, fstatSync, lstatSync, openSync } from 'node:fs';
import { constants, type FileHandle, lstat, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { CrewError } from '../../base/crew-error.ts';
import { errnoOf } from '../../base/errno.ts';

// Windows has neither flag, so the entry is checked before it is opened.
const NO_FOLLOW: number | undefined = constants.O_NOFOLLOW;
const FLAGS = (NO_FOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens for reading and writing; creates the file. */
export async function openLock(file: string): Promise<FileHandle> {
  if (NO_FOLLOW === undefined) await requireNoLink(file);
  const handle = await open(file, constants.O_RDWR | constants.O_CREAT | FLAGS, 0o600).catch(
    (error: unknown) => {
      throw toRefusal(error, file);
    },
  );
  try {
    if ((await handle.stat()).isFile()) return handle;
    throw notRegular(file);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Undefined if there is no file. The caller closes the descriptor. */
export function openLockForReading(file: string): number | undefined {
  try {
    if (NO_FOLLOW === undefined && lstatSync(file).isSymbolicLink()) throw notRegular(file);
    const descriptor = openSync(file, constants.O_RDONLY | FLAGS);
    if (fstatSync(descriptor).isFile()) return descriptor;
    closeSync(descriptor);
    throw notRegular(file);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw toRefusal(error, file);
  }
}

/** Whether there is a folder of claims. Throws STORE_REFUSED for anything but a folder. */
export async function hasClaimsFolder(folder: string): Promise<boolean> {
  try {
    if ((await lstat(folder)).isDirectory()) return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
  throw notRegular(folder);
}

async function requireNoLink(file: string): Promise<void> {
  try {
    if ((await lstat(file)).isSymbolicLink()) throw notRegular(file);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

/** Errors for a symbolic link (EMLINK on FreeBSD) and for a socket. */
const NOT_REGULAR: ReadonlySet<string> = new Set(['ELOOP', 'EMLINK', 'ENXIO']);

function toRefusal(error: unknown, file: string): unknown {
  return NOT_REGULAR.has(errnoOf(error) ?? '') ? notRegular(file, error) : error;
}

function notRegular(file: string, cause?: unknown): CrewError {
  return new CrewError(
    'STORE_REFUSED',
    `The lock "${basename(file)}" in the store is not a regular file, and another user may have put it there; delete it and try again.`,
    { details: { file }, cause },
  );
}
