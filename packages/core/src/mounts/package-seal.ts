/**
 * The seal of an installed package: what its files must be. A package is identified by its hash, so a file that was changed, added
 * or removed since it was installed is never read: neither by a model nor as a step or a workflow.
 */
import { CrewError } from '../base/crew-error.ts';
import { errnoOf } from '../base/errno.ts';
import type { FileIdentity } from './file-identity.ts';
import type { MountedFs } from './mounted-fs.ts';
import { SandboxViolation } from './sandbox-violation.ts';

/** Each check throws PACKAGE_DAMAGED. Paths are relative to the package. */
export interface PackageSeal {
  /** Hashes the content once, unless the file changes. */
  checkFile(path: string, file: SealedFile): Promise<void>;
  /** For a path at which there is no file. */
  checkMissing(path: string): void;
  /** No file is missing, and none was added. */
  checkNames(): void;
  /** Names and contents. */
  checkAll(): void;
  /** The content of a file, checked. */
  read(path: string): Buffer;
}

export interface SealedFile {
  readonly identity: FileIdentity;
  readonly handle: { readFile(): Promise<Buffer> };
}

/** Checks every file of `@pkg` before it is read. */
export function withSeal(files: MountedFs, seal: PackageSeal | undefined): MountedFs {
  if (!seal) return files;
  return {
    ...files,
    async withFile(path, use) {
      if (path.mount !== '@pkg') return files.withFile(path, use);
      try {
        return await files.withFile(path, async (file) => {
          await seal.checkFile(file.path.segments.join('/'), file);
          return use(file);
        });
      } catch (error) {
        if (isMissing(error)) seal.checkMissing(path.segments.join('/'));
        throw error;
      }
    },
    async withFolder(path, use) {
      // Another program reads the files.
      if (path.mount === '@pkg') seal.checkAll();
      return files.withFolder(path, use);
    },
  };
}

/** Also if a link or something else has taken its place. */
function isMissing(error: unknown): boolean {
  return error instanceof SandboxViolation || ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errnoOf(error) ?? '');
}

export function damagedPackage(cause?: unknown): CrewError {
  return new CrewError('PACKAGE_DAMAGED', 'This package is damaged: reinstall it.', { cause });
}
