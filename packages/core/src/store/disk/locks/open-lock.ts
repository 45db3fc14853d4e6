/**
 * Opens lock files: only regular files in the folder itself. A symbolic link or a pipe instead is refused with
 * STORE_REFUSED, so that locking never creates, truncates or blocks on another file.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs';
import { basename } from 'node:path';
import { CrewError } from '../../../base/crew-error.ts';
import { errnoOf } from '../../../base/errno.ts';

// Windows has neither flag, so the entry is checked before it is opened.
const NO_FOLLOW: number | undefined = constants.O_NOFOLLOW;
const FLAGS = (NO_FOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens for reading and writing; creates the file. The caller closes the descriptor. */
export function openLock(file: string): number {
  if (NO_FOLLOW === undefined) requireNoLink(file);
  try {
    return requireFile(openSync(file, constants.O_RDWR | constants.O_CREAT | FLAGS, 0o600), file);
  } catch (error) {
    throw toRefusal(error, file);
  }
}

/** Undefined if there is no file. The caller closes the descriptor. */
export function openLockForReading(file: string): number | undefined {
  try {
    if (NO_FOLLOW === undefined && lstatSync(file).isSymbolicLink()) throw notRegular(file);
    return requireFile(openSync(file, constants.O_RDONLY | FLAGS), file);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw toRefusal(error, file);
  }
}

/** Closes the descriptor of anything but a regular file. */
function requireFile(descriptor: number, file: string): number {
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw notRegular(file);
}

/** Whether there is a folder of claims. Throws STORE_REFUSED for anything but a folder. */
export function hasClaimsFolder(folder: string): boolean {
  try {
    if (lstatSync(folder).isDirectory()) return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
  throw notRegular(folder);
}

function requireNoLink(file: string): void {
  try {
    if (lstatSync(file).isSymbolicLink()) throw notRegular(file);
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
