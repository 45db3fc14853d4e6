/**
 * Writing at the end of a walk: the old file or the new one, never a torn one, and no temp file left behind.
 */
import { fchmodSync, lstatSync } from 'node:fs';
import { commitFile, syncDescriptor, syncFolder, writeAll } from '../base/durable-files.ts';
import { checkIdentity, type FileIdentity, lstatIfPresent, toIdentity } from './file-identity.ts';
import type { OpenPath } from './folder-walk.ts';
import { isFolder, special } from './open-path.ts';

export interface ReplaceOptions {
  /** The file the new content was made from; `absent` when there was none. Anything else there refuses the write. */
  readonly expected?: FileIdentity | 'absent';
  /** Name of the temp file beside the target, so that a journal can clean it up after a crash. */
  readonly tempName: string;
  /** Permissions to give; those of the file that is replaced if left out. */
  readonly mode?: number;
}

export async function replaceAt(
  openPath: OpenPath,
  content: Uint8Array,
  { expected, tempName, mode }: ReplaceOptions,
  newMode: number,
): Promise<FileIdentity> {
  if (openPath.name === undefined) throw isFolder();
  const existing = lstatIfPresent(openPath.filePath);
  if (existing && !existing.isFile()) throw existing.isDirectory() ? isFolder() : special();
  let written: FileIdentity | undefined;
  await commitFile(openPath.filePath, {
    temp: `${openPath.folderPath}/${tempName}`,
    mode: newMode,
    async fill(descriptor) {
      const wanted = mode ?? (existing && Number(existing.mode) & 0o777);
      if (wanted !== undefined) fchmodSync(descriptor, wanted);
      await writeAll(descriptor, content);
    },
    // Nothing else of this process runs before the rename, so two writers cannot both pass.
    check() {
      openPath.verify();
      if (expected) checkIdentity(openPath.filePath, expected);
    },
    onRenamed() {
      written = toIdentity(lstatSync(openPath.filePath, { bigint: true }));
    },
    syncFolder: () => syncFolderOf(openPath),
  });
  if (!written) throw new Error('a file that was committed was renamed');
  return written;
}

/** Makes what happened in the folder durable. */
export async function syncFolderOf(openPath: OpenPath): Promise<void> {
  if (openPath.folderDescriptor === null) await syncFolder(openPath.folderPath);
  else await syncDescriptor(openPath.folderDescriptor);
}
