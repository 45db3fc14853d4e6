/**
 * Reading system errors: which code, and what to tell a person about it.
 */
import { CrewError } from './crew-error.ts';

/** The errno name of a system error (`ENOENT`, …), or undefined for anything else. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' && /^E[A-Z0-9]+$/.test(error.code) ? error.code : undefined;
}

const SENTENCES: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space and try again',
  EDQUOT: 'the disk quota is used up; free some space and try again',
  EACCES: 'permission was denied; check who owns the folder',
  EPERM: 'permission was denied; check who owns the folder',
  EROFS: 'the disk is read-only; choose another place',
  EMFILE: 'too many files are open on this machine; close some programs and try again',
  ENFILE: 'too many files are open on this machine; close some programs and try again',
  EFBIG: 'the disk takes no file of this size',
  EIO: 'the disk reported a read or write error',
  ENAMETOOLONG: 'a file name is too long for this disk',
  ENOTDIR: 'a file stands where a folder is needed',
  ELOOP: 'a symbolic link stands where a file is needed; delete it',
  EISDIR: 'a folder stands where a file is needed',
  ENOENT: 'the folder does not exist',
};

/** Why the system refused, in words that follow "because …" or a colon. */
export function errnoSentence(error: unknown): string | undefined {
  const code = errnoOf(error);
  return code === undefined ? undefined : (SENTENCES[code] ?? `the system answered ${code}`);
}

/** Runs disk work; a refusal of the system becomes a CrewError that starts with `doing`, a bug stays a bug. */
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
