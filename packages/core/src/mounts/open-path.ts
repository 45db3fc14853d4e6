/**
 * Reads at the end of a walk: a regular file, or the entries of a folder. Never follows links, never blocks.
 */
import { constants, type Dir, opendirSync, openSync, readSync, read as readWithCallback } from 'node:fs';
import { promisify } from 'node:util';
import { type EntryKind, kindOf } from '../base/entry-kind.ts';
import { errnoOf } from '../base/errno.ts';
import type { OpenPath } from './folder-walk.ts';
import { SandboxViolation } from './sandbox-violation.ts';

/** A regular file, open for reading. */
export interface FileReader {
  /** The whole content, up to the size when the file was opened. */
  readFile(): Promise<Buffer>;
  /** Fills a buffer from a position; returns fewer bytes at the end of the file. */
  read(buffer: Buffer, position: number): Promise<number>;
}

export interface FolderEntry {
  readonly name: string;
  readonly kind: EntryKind;
}

/** The callback API: the promise API costs twice as much. */
const readAt = promisify(readWithCallback);

/** Reading this much synchronously takes less time than a thread hop. */
const SMALL_BYTES = 256 * 1024;
export const BATCH = 512;
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export function openRegularFile(openPath: OpenPath): number {
  try {
    // O_NONBLOCK: does not wait for the other end of a pipe or for a device.
    return openSync(openPath.filePath, READ_FLAGS);
  } catch (error) {
    if (errnoOf(error) === 'ELOOP')
      throw new SandboxViolation('link', 'was changed while it was being opened');
    if (errnoOf(error) === 'ENXIO') throw specialFileError();
    throw error;
  }
}

export function createReader(descriptor: number, bytes: number): FileReader {
  const read = async (buffer: Buffer, position: number): Promise<number> => {
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await readAt(
        descriptor,
        buffer,
        filled,
        buffer.length - filled,
        position + filled,
      );
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled;
  };
  return {
    read,
    async readFile() {
      const buffer = Buffer.allocUnsafe(bytes);
      if (bytes > SMALL_BYTES) return buffer.subarray(0, await read(buffer, 0));
      return buffer.subarray(0, readSync(descriptor, buffer, 0, bytes, 0));
    },
  };
}

/** Entries of the open folder in batches, unordered; other tasks run in between. */
export async function* readEntries(openPath: OpenPath): AsyncGenerator<readonly FolderEntry[]> {
  const folder = opendirSync(openPath.folderPath, { bufferSize: BATCH });
  try {
    openPath.verify();
    for (let batch = readBatch(folder); batch.length > 0; batch = readBatch(folder)) {
      yield batch;
      await nextTurn();
    }
  } finally {
    folder.closeSync();
  }
}

/** Synchronous: a promise for each of a hundred thousand names would cost more than the read. */
function readBatch(folder: Dir): FolderEntry[] {
  const batch: FolderEntry[] = [];
  while (batch.length < BATCH) {
    const entry = folder.readSync();
    if (!entry) break;
    batch.push({ name: entry.name, kind: kindOf(entry) });
  }
  return batch;
}

/** Lets other pending tasks run. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export function specialFileError(): SandboxViolation {
  return new SandboxViolation('special', 'is a device, pipe or socket, not a file');
}
