/**
 * Atomically replaces a file at the end of a walk, without leaving a temp file behind.
 */
import { fchmodSync, lstatSync } from 'node:fs';
import { commitFile, syncDescriptor, syncFolder, writeAll } from '../base/durable-files.ts';
import { systemError } from '../base/errno.ts';
import { checkIdentity, type FileIdentity, lstatIfPresent, toIdentity } from './file-identity.ts';
import type { OpenPath } from './folder-walk.ts';
import { specialFileError } from './open-path.ts';

export interface ReplaceOptions {
  /**
   * Identity of the file that the new content is based on; `absent` if there was none. Any other file rejects the
   * write.
   */
  readonly expected?: FileIdentity | 'absent';
  /** Name of the temp file beside the target, known to the journal for cleanup after a crash. */
  readonly tempName: string;
  /** Permissions; default: those of the replaced file. */
  readonly mode?: number;
  /** False for a file that nobody keeps: it is not made durable. */
  readonly isSynced?: boolean;
  /** True if nothing in the mount outlives the process. */
  readonly isThrowaway?: boolean | undefined;
  /** Last check, right before the rename; throws to reject the write. */
  verify?(): void;
}

export async function replaceAt(
  openPath: OpenPath,
  content: Uint8Array,
  { expected, tempName, mode, isSynced = true, isThrowaway = false, verify }: ReplaceOptions,
  newMode: number,
): Promise<FileIdentity> {
  if (openPath.name === undefined) throw systemError('EISDIR');
  const existing = lstatIfPresent(openPath.filePath);
  if (existing && !existing.isFile())
    throw existing.isDirectory() ? systemError('EISDIR') : specialFileError();
  let written: FileIdentity | undefined;
  await commitFile(openPath.filePath, {
    temp: `${openPath.folderPath}/${tempName}`,
    mode: newMode,
    isSynced,
    isThrowaway,
    async fill(descriptor) {
      const wanted = mode ?? (existing && Number(existing.mode) & 0o777);
      if (wanted !== undefined) fchmodSync(descriptor, wanted);
      await writeAll(descriptor, content);
    },
    // No other code of this process runs before the rename, so two writers cannot both pass.
    check() {
      openPath.verify();
      if (expected) checkIdentity(openPath.filePath, expected);
      verify?.();
    },
    onRenamed() {
      written = toIdentity(lstatSync(openPath.filePath, { bigint: true }));
    },
    syncFolder: () => (isSynced ? syncFolderOf(openPath) : Promise.resolve()),
  });
  if (!written) throw new Error('a committed file was renamed');
  return written;
}

/** Makes changes to the folder durable. */
export async function syncFolderOf(openPath: OpenPath): Promise<void> {
  if (openPath.folderDescriptor === null) await syncFolder(openPath.folderPath);
  else await syncDescriptor(openPath.folderDescriptor);
}
