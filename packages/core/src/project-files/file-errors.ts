/**
 * Converts errors of project files to errors for the user: a code and a message, with mount paths only.
 */
import { CrewError } from '../base/crew-error.ts';
import { errnoOf, errnoSentence, ifSystemAllows } from '../base/errno.ts';
import { ChangedMeanwhile } from '../mounts/file-identity.ts';
import { formatMountPath, type MountPath } from '../mounts/mount-path.ts';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';

/** Runs `work` and converts sandbox and system errors to CrewError; other errors pass through. */
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
    return conflict(`"${path}" was changed meanwhile. Reload it and try again.`);
  const errno = errnoOf(error);
  switch (errno) {
    case undefined:
      return error;
    case 'ENOENT':
    case 'ENOTDIR':
      return projectExists(tree) ? notFound(path) : projectFolderMissing();
    case 'EISDIR':
      return new CrewError('USAGE', `"${path}" is a folder. Choose a file.`);
    case 'EEXIST':
    case 'ENOTEMPTY':
      return alreadyExists(path);
    case 'ENAMETOOLONG':
      return new CrewError(
        'USAGE',
        `"${path.slice(0, 120)}…" has a name longer than 255 bytes. Choose a shorter name.`,
      );
    case 'EILSEQ':
      return diskError(
        path,
        'it contains a name with an invalid encoding; rename it in another program',
        error,
      );
    case 'EXDEV':
      return diskError(path, 'source and target are on different disks', error);
    default:
      return diskError(path, errnoSentence(error) ?? errno, error);
  }
}

export function notFound(path: string): CrewError {
  return new CrewError('FILE_NOT_FOUND', `There is no file or folder "${path}".`);
}

export function alreadyExists(path: string, details: Record<string, unknown> = {}): CrewError {
  return new CrewError('FILE_EXISTS', `"${path}" already exists. Choose another name.`, {
    details,
  });
}

export function conflict(message: string, details: Record<string, unknown> = {}): CrewError {
  return new CrewError('FILE_CONFLICT', message, { details });
}

export function denied(message: string): CrewError {
  return new CrewError('PermissionDenied', message);
}

export function secretFile(path: string): CrewError {
  return denied(`"${path}" is a secret file and cannot be shown or changed here. Use another program.`);
}

export function readOnly(path: string): CrewError {
  return new CrewError(
    'FILE_READ_ONLY',
    `"${path}" is read-only, so it was not saved. Make it writable in another program, then save again.`,
  );
}

export function tooLarge(path: string, bytes: number, limit: number): CrewError {
  const message = `"${path}" has ${bytes} bytes; the limit is ${limit}.`;
  return new CrewError('FILE_TOO_LARGE', message, { details: { bytes } });
}

export function noDesktop(): CrewError {
  return new CrewError('NO_DESKTOP', 'There is no desktop to show the file on.');
}

function projectFolderMissing(): CrewError {
  return new CrewError(
    'FOLDER_NOT_FOUND',
    'The project folder was not found. Restore it or relink the project.',
  );
}

function diskError(path: string, reason: string, cause: unknown): CrewError {
  return new CrewError('DISK', `"${path}" could not be accessed: ${reason}.`, {
    cause,
    details: { errno: errnoOf(cause) },
  });
}

function projectExists(tree: MountedTree): boolean {
  return ifSystemAllows(() => tree.stat({ mount: '@project', segments: [] }))?.kind === 'folder';
}
