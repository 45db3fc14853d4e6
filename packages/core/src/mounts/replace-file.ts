/**
 * Atomically replaces a file at the end of a walk, without leaving a temp file behind. A file that nobody keeps is written in place.
 */
import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  writeSync,
} from 'node:fs';
import { commitFile, syncDescriptor, syncFolder, writeAll } from '../base/durable-files.ts';
import { systemError } from '../base/errno.ts';
import {
  checkIdentity,
  type FileIdentity,
  isSameIdentity,
  lstatIfPresent,
  toIdentity,
} from './file-identity.ts';
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
  // No other code of this process runs between this and the change, so two writers cannot both pass.
  const check = (): void => {
    openPath.verify();
    if (expected) checkIdentity(openPath.filePath, expected);
    verify?.();
  };
  const wanted = mode ?? (existing && Number(existing.mode) & 0o777);
  if (isThrowaway && existing && canBeOverwritten(existing, wanted)) {
    check();
    const identity = overwriteAt(openPath, content, existing);
    if (identity) return identity;
  }
  let written: FileIdentity | undefined;
  await commitFile(openPath.filePath, {
    temp: `${openPath.folderPath}/${tempName}`,
    mode: newMode,
    isSynced,
    async fill(descriptor) {
      if (wanted !== undefined) fchmodSync(descriptor, wanted);
      await writeAll(descriptor, content);
    },
    check,
    onRenamed() {
      written = toIdentity(lstatSync(openPath.filePath, { bigint: true }));
    },
    syncFolder: () => (isSynced ? syncFolderOf(openPath) : Promise.resolve()),
  });
  if (!written) throw new Error('a committed file was renamed');
  return written;
}

/** Its other names would change as well, and a file that must not be written is replaced. */
function canBeOverwritten({ nlink, mode }: BigIntStats, wanted: number | undefined): boolean {
  const permissions = Number(mode) & 0o777;
  return nlink === 1n && (permissions & 0o200) !== 0 && permissions === wanted;
}

/**
 * Writes a file that nobody keeps in place: some file systems take 0.3 ms for each new file. Undefined if the clock is too coarse to
 * show the change: then the file has to be replaced.
 */
function overwriteAt(
  { filePath }: OpenPath,
  content: Uint8Array,
  existing: BigIntStats,
): FileIdentity | undefined {
  const descriptor = openSync(filePath, IN_PLACE_FLAGS);
  try {
    for (let written = 0; written < content.length; ) written += writeSync(descriptor, content, written);
    // After the write: some file systems write a file that was emptied first to the disk at once.
    ftruncateSync(descriptor, content.length);
    const identity = toIdentity(fstatSync(descriptor, { bigint: true }));
    return isSameIdentity(identity, toIdentity(existing)) ? undefined : identity;
  } finally {
    closeSync(descriptor);
  }
}

const IN_PLACE_FLAGS = constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Makes changes to the folder durable. */
export async function syncFolderOf(openPath: OpenPath): Promise<void> {
  if (openPath.folderDescriptor === null) await syncFolder(openPath.folderPath);
  else await syncDescriptor(openPath.folderDescriptor);
}
