/**
 * Writing at the end of a walk: the old file or the new one, never a torn one, and no temp file left behind.
 */
import {
  closeSync,
  fchmodSync,
  fsync as fsyncWithCallback,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
  write as writeWithCallback,
} from 'node:fs';
import { promisify } from 'node:util';
import { syncFolder } from '../base/durable-files.ts';
import { errnoOf } from '../base/errno.ts';
import { checkIdentity, type FileIdentity, lstatIfPresent, toIdentity } from './file-identity.ts';
import type { Place } from './folder-walk.ts';
import { isFolder, SMALL_BYTES, special } from './open-place.ts';

export interface ReplaceOptions {
  /** The file the new content was made from; `absent` when there was none. Anything else there refuses the write. */
  readonly expected?: FileIdentity | 'absent';
  /** Name of the temp file beside the target, so that a journal can clean it up after a crash. */
  readonly tempName: string;
  /** Permissions to give; those of the file that is replaced if left out. */
  readonly mode?: number;
}

/** With the callback forms underneath; the promise forms cost twice as much. */
const writeAt = promisify(writeWithCallback);
const fsync = promisify(fsyncWithCallback);

export async function replaceAt(
  place: Place,
  content: Uint8Array,
  { expected, tempName, mode }: ReplaceOptions,
  newMode: number,
): Promise<FileIdentity> {
  if (place.name === undefined) throw isFolder();
  const existing = lstatIfPresent(place.filePath);
  if (existing && !existing.isFile()) throw existing.isDirectory() ? isFolder() : special();
  const temp = `${place.folderPath}/${tempName}`;
  const descriptor = openSync(temp, 'wx', newMode);
  try {
    try {
      const wanted = mode ?? (existing && Number(existing.mode) & 0o777);
      if (wanted !== undefined) fchmodSync(descriptor, wanted);
      await writeAll(descriptor, content);
      await fsync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    // From here to the rename nothing else runs in this process, so two writers cannot both pass.
    place.verify();
    if (expected) checkIdentity(place.filePath, expected);
    renameSync(temp, place.filePath);
    const written = lstatSync(place.filePath, { bigint: true });
    await syncPlace(place);
    return toIdentity(written);
  } catch (error) {
    removeQuietly(temp);
    throw error;
  }
}

async function writeAll(descriptor: number, content: Uint8Array): Promise<void> {
  for (let written = 0; written < content.length; ) {
    const left = content.length - written;
    if (left <= SMALL_BYTES) written += writeSync(descriptor, content, written, left, null);
    else written += (await writeAt(descriptor, content, written, left, null)).bytesWritten;
  }
}

/** Makes what happened in the folder durable. */
export async function syncPlace(place: Place): Promise<void> {
  if (place.folderDescriptor === null) await syncFolder(place.folderPath);
  else await fsync(place.folderDescriptor);
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    // Nothing there, or a disk that is in trouble already: the error under way says more.
    if (errnoOf(error) === undefined) throw error;
  }
}
