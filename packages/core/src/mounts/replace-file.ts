/**
 * Writing at the end of a walk: the old file or the new one, never a torn one, and no temp file left behind.
 */
import { fchmodSync, lstatSync } from 'node:fs';
import { commitFile, syncDescriptor, syncFolder, writeAll } from '../base/durable-files.ts';
import { checkIdentity, type FileIdentity, lstatIfPresent, toIdentity } from './file-identity.ts';
import type { Place } from './folder-walk.ts';
import { isFolder, special } from './open-place.ts';

export interface ReplaceOptions {
  /** The file the new content was made from; `absent` when there was none. Anything else there refuses the write. */
  readonly expected?: FileIdentity | 'absent';
  /** Name of the temp file beside the target, so that a journal can clean it up after a crash. */
  readonly tempName: string;
  /** Permissions to give; those of the file that is replaced if left out. */
  readonly mode?: number;
}

export async function replaceAt(
  place: Place,
  content: Uint8Array,
  { expected, tempName, mode }: ReplaceOptions,
  newMode: number,
): Promise<FileIdentity> {
  if (place.name === undefined) throw isFolder();
  const existing = lstatIfPresent(place.filePath);
  if (existing && !existing.isFile()) throw existing.isDirectory() ? isFolder() : special();
  let written: FileIdentity | undefined;
  await commitFile(place.filePath, {
    temp: `${place.folderPath}/${tempName}`,
    mode: newMode,
    async fill(descriptor) {
      const wanted = mode ?? (existing && Number(existing.mode) & 0o777);
      if (wanted !== undefined) fchmodSync(descriptor, wanted);
      await writeAll(descriptor, content);
    },
    // Nothing else of this process runs before the rename, so two writers cannot both pass.
    check() {
      place.verify();
      if (expected) checkIdentity(place.filePath, expected);
    },
    onRenamed() {
      written = toIdentity(lstatSync(place.filePath, { bigint: true }));
    },
    syncFolder: () => syncPlace(place),
  });
  if (!written) throw new Error('a file that was committed was renamed');
  return written;
}

/** Makes what happened in the folder durable. */
export async function syncPlace(place: Place): Promise<void> {
  if (place.folderDescriptor === null) await syncFolder(place.folderPath);
  else await syncDescriptor(place.folderDescriptor);
}
