/** Synchronous access to small files and to folders: the thread pool takes ten times as long. */
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { errnoOf } from './errno.ts';

/** Undefined if there is no such file. */
export function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether there is nothing at the path. Throws if the system does not say, for example without permission. */
export function isMissing(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) === undefined;
}

/** True also for a path that exists and cannot be accessed: the caller gets the error when it opens it. */
export function isOnDisk(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return !['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EINVAL'].includes(errno);
  }
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
