/**
 * System errors: their codes, and messages for the user.
 */
import { CrewError } from './crew-error.ts';

/** Errno name of a system error (`ENOENT`, …), or undefined for other errors. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' && /^E[A-Z0-9]+$/.test(error.code) ? error.code : undefined;
}

/** Undefined if the system refuses. Other errors are thrown: they are bugs. */
export function ifSystemAllows<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/** The same for work that takes time. */
export async function ifAllowed<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/** An error like those of the system. */
export function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

const SENTENCES: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space and try again',
  EDQUOT: 'the disk quota is used up; free some space and try again',
  EACCES: 'permission was denied; check who owns the folder',
  EPERM: 'permission was denied; check who owns the folder',
  EROFS: 'the disk is read-only; choose another location',
  EMFILE: 'too many files are open on this machine; close some programs and try again',
  ENFILE: 'too many files are open on this machine; close some programs and try again',
  EFBIG: 'the file is too large for this disk',
  EIO: 'the disk reported a read or write error',
  ENAMETOOLONG: 'a file name is too long for this disk',
  ENOTDIR: 'there is a file where a folder is needed',
  ELOOP: 'there is a symbolic link where a file is needed; delete it',
  EISDIR: 'there is a folder where a file is needed',
  ENOENT: 'the file or folder does not exist',
};

/** Cause of a system error, to follow "because …" or a colon. */
export function errnoSentence(error: unknown): string | undefined {
  const code = errnoOf(error);
  return code === undefined ? undefined : (SENTENCES[code] ?? `the system reported ${code}`);
}

/** An error that says what to do if a disk is full; undefined for other errors. */
export function toFullDisk(error: unknown): CrewError | undefined {
  const errno = errnoOf(error);
  if (errno !== 'ENOSPC' && errno !== 'EDQUOT') return undefined;
  return new CrewError('DISK_FULL', 'The disk is full. Free some space, then Resume.', { cause: error });
}

/** Runs `work`; a system error becomes a CrewError that starts with `doing`, other errors pass through. */
export async function withDiskErrors<T>(doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const sentence = errnoSentence(error);
    if (sentence === undefined) throw error;
    throw new CrewError('DISK', `${doing}: ${sentence}.`, {
      cause: error,
      details: { errno: errnoOf(error) },
    });
  }
}

/** Undefined if what is read does not exist. */
export async function ifPresent<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
