/**
 * What went wrong with a project's file, told to a person: a code and a sentence, with mount paths only.
 */
import { CrewError } from '../base/crew-error.ts';
import { errnoOf, errnoSentence } from '../base/errno.ts';
import { ChangedMeanwhile } from '../mounts/file-identity.ts';
import { formatMountPath, type MountPath } from '../mounts/mount-path.ts';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';

/** Runs work on a file; what the sandbox or the system refuses becomes a CrewError, a bug stays a bug. */
export async function withFileErrors<T>(
  tree: MountedTree,
  path: MountPath,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toFileError(error, formatMountPath(path), tree);
  }
}

function toFileError(error: unknown, path: string, tree: MountedTree): unknown {
  if (error instanceof SandboxViolation) {
    return error.reason === 'secret' ? secretFile(path) : denied(`The path "${path}" ${error.message}.`);
  }
  if (error instanceof ChangedMeanwhile)
    return conflict(`"${path}" was changed meanwhile; look at it again.`);
  const errno = errnoOf(error);
  switch (errno) {
    case undefined:
      return error;
    case 'ENOENT':
    case 'ENOTDIR':
      return isThere(tree) ? notFound(path) : folderGone();
    case 'EISDIR':
      return new CrewError('USAGE', `"${path}" is a folder; a file was expected.`);
    case 'EEXIST':
    case 'ENOTEMPTY':
      return taken(path);
    case 'ENAMETOOLONG':
      return new CrewError(
        'USAGE',
        `"${path.slice(0, 120)}…" has a part longer than 255 bytes; choose another.`,
      );
    case 'EILSEQ':
      return disk(path, 'it holds a name that is no text; rename that in another program', error);
    case 'EXDEV':
      return disk(path, 'the two places are on different disks', error);
    default:
      return disk(path, errnoSentence(error) ?? errno, error);
  }
}

export function notFound(path: string): CrewError {
  return new CrewError('FILE_NOT_FOUND', `There is no file or folder "${path}".`);
}

export function taken(path: string, details: Record<string, unknown> = {}): CrewError {
  return new CrewError('FILE_EXISTS', `There is something at "${path}" already; choose another name.`, {
    details,
  });
}

export function conflict(sentence: string, details: Record<string, unknown> = {}): CrewError {
  return new CrewError('FILE_CONFLICT', sentence, { details });
}

export function denied(sentence: string): CrewError {
  return new CrewError('PermissionDenied', sentence);
}

export function secretFile(path: string): CrewError {
  return denied(`"${path}" is a secret file; it is not shown or changed here, use another program.`);
}

export function readOnly(path: string): CrewError {
  return new CrewError(
    'FILE_READ_ONLY',
    `"${path}" is read-only, so it was not saved. Make it writable in another program, then save again.`,
  );
}

export function tooLarge(path: string, bytes: number, most: number): CrewError {
  const sentence = `"${path}" has ${bytes} bytes, more than the ${most} that can be handled here.`;
  return new CrewError('FILE_TOO_LARGE', sentence, { details: { bytes } });
}

export function noDesktop(): CrewError {
  return new CrewError('NO_DESKTOP', 'There is no desktop here that a file could be shown on.');
}

function folderGone(): CrewError {
  return new CrewError(
    'FOLDER_NOT_FOUND',
    'The folder of the project is not there; put it back or relink it.',
  );
}

function disk(path: string, why: string, cause: unknown): CrewError {
  return new CrewError('DISK', `"${path}" could not be used: ${why}.`, {
    cause,
    details: { errno: errnoOf(cause) },
  });
}

function isThere(tree: MountedTree): boolean {
  try {
    return tree.stat({ mount: '@project', segments: [] })?.kind === 'folder';
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
