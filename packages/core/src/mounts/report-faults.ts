/**
 * Faults that only a person can fix: a full disk, a read-only disk or folder, a mount whose folder is gone. They are thrown as CrewErrors,
 * which pause a run; any other error of a file is an answer for the model.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf, toFullDisk } from '../base/errno.ts';
import type { MountName } from './mount-path.ts';
import type { MountedFs, MountRoots } from './mounted-fs.ts';
import { damagedPackage } from './package-seal.ts';

/** `outputs`: folder of the project for results, where a run may write although the project is read-only. */
export function reportFaults(files: MountedFs, roots: MountRoots, outputs: string): MountedFs {
  const rethrow = (error: unknown, mount: MountName): never => {
    throw findFault(error, mount, roots) ?? error;
  };
  const watch = async <T>(mount: MountName, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      return rethrow(error, mount);
    }
  };
  /** Reading may be forbidden as well, where it says nothing about the folder. */
  const change = <T>(mount: MountName, work: () => Promise<T>): Promise<T> =>
    watch(mount, async () => {
      try {
        return await work();
      } catch (error) {
        throw findForbidden(error, mount, roots, outputs) ?? error;
      }
    });
  return {
    resolve(path, access) {
      try {
        return files.resolve(path, access);
      } catch (error) {
        return rethrow(error, path.mount);
      }
    },
    async *entries(path) {
      try {
        yield* files.entries(path);
      } catch (error) {
        rethrow(error, path.mount);
      }
    },
    kindOf: files.kindOf,
    identityOf: files.identityOf,
    exact: files.exact,
    withFile: (path, use) => watch(path.mount, () => files.withFile(path, use)),
    replace: (path, content, options) => change(path.mount, () => files.replace(path, content, options)),
    makeFolder: (path) => change(path.mount, () => files.makeFolder(path)),
    remove: (path, expected) => change(path.mount, () => files.remove(path, expected)),
    withFolder: (path, use) => watch(path.mount, () => files.withFolder(path, use)),
  };
}

/** The folder denies changes of any file. If only some are denied, the model can write elsewhere. */
function findForbidden(
  error: unknown,
  mount: MountName,
  roots: MountRoots,
  outputs: string,
): CrewError | undefined {
  const root = roots[FIELDS[mount]];
  if (root === undefined || !FORBIDDEN.has(errnoOf(error) ?? '')) return undefined;
  const folders = mount === '@project' ? [root, join(root, outputs)] : [root];
  return folders.every((folder) => failsWith(() => accessSync(folder, constants.W_OK)) !== undefined)
    ? readOnly(mount, error)
    : undefined;
}

const FORBIDDEN: ReadonlySet<string> = new Set(['EACCES', 'EPERM']);

function readOnly(mount: MountName, cause: unknown): CrewError {
  return new CrewError('DISK_READ_ONLY', READ_ONLY, { cause, details: { mount } });
}

const FIELDS = { '@project': 'project', '@pkg': 'pkg', '@state': 'state' } as const;

function findFault(error: unknown, mount: MountName, roots: MountRoots): CrewError | undefined {
  const root = roots[FIELDS[mount]];
  const errno = errnoOf(error);
  if (errno === undefined || root === undefined) return undefined;
  const full = toFullDisk(error);
  if (full) return full;
  // Another disk inside of the folder may be read-only: the model can write elsewhere then.
  if (errno === 'EROFS' && failsWith(() => accessSync(root, constants.W_OK)) === 'EROFS')
    return readOnly(mount, error);
  if (!GONE.has(failsWith(() => statSync(`${root}/.`)) ?? '')) return undefined;
  return mount === '@pkg'
    ? damagedPackage(error)
    : new CrewError('FOLDER_NOT_FOUND', MISSING[mount], { cause: error, details: { mount } });
}

/** Errors of a folder that was deleted or moved, or whose disk or server is no longer there. */
const GONE: ReadonlySet<string> = new Set(
  'ENOENT ENOTDIR EIO ENODEV ENXIO ESTALE ENOTCONN EHOSTDOWN'.split(' '),
);

function failsWith(access: () => void): string | undefined {
  try {
    access();
    return undefined;
  } catch (error) {
    return errnoOf(error);
  }
}

const READ_ONLY = 'The folder or its disk is read-only. Make it writable, then Resume.';
const MISSING = {
  '@project': 'The project folder is missing. Locate it or restore it, then Resume.',
  '@state': 'The folder with the data of this run is missing. Restore it, then Resume.',
} as const;
