/**
 * Durable writes of the runtime: write, fsync, rename, fsync of the folder, and only then resolve. A file is either the
 * old or the new version, never torn. No other module calls fsync or renames files it wrote. Independent of contents.
 */
import {
  closeSync,
  existsSync,
  fdatasync,
  fsync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
  writeSync,
  write as writeWithCallback,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ifSystemAllows } from './errno.ts';
import { makeFolders } from './make-folders.ts';
import { stagingName } from './staging.ts';

/** Appends to the file being written. */
export type WriteChunk = (chunk: Uint8Array) => Promise<void>;

/** Replaces `target` with `content`, or with what a function writes in chunks. Durable when this resolves. */
export async function replaceFile(
  target: string,
  content: string | Uint8Array | ((write: WriteChunk) => Promise<void>),
  mode = 0o600,
  isSynced = true,
): Promise<void> {
  const folder = dirname(target);
  await commitFile(target, {
    temp: join(folder, stagingName('writing')),
    mode,
    isSynced,
    fill: async (descriptor) => {
      if (typeof content === 'function') await content((chunk) => writeAll(descriptor, chunk));
      else await writeAll(descriptor, typeof content === 'string' ? Buffer.from(content) : content);
    },
    syncFolder: () => (isSynced ? syncFolder(folder) : Promise.resolve()),
  });
}

export interface FileCommit {
  /** Path of the temp file, in the folder of the target. */
  readonly temp: string;
  readonly mode: number;
  fill(descriptor: number): Promise<void>;
  /** False if the caller makes many files durable at once, with `syncDisk`. */
  readonly isSynced?: boolean;
  /** Final check before the rename; no other code of this process runs in between. */
  check?(): void;
  /** Runs right after the rename, before any other code of this process. */
  onRenamed?(): void;
  syncFolder(): Promise<void>;
}

/** The sequence of every file replacement, with hooks for the caller. */
export async function commitFile(
  target: string,
  { temp, mode, fill, isSynced = true, check, onRenamed, syncFolder: syncParent }: FileCommit,
): Promise<void> {
  const descriptor = openSync(temp, 'wx', mode);
  try {
    try {
      await fill(descriptor);
      if (isSynced) await syncDescriptor(descriptor);
    } finally {
      closeSync(descriptor);
    }
    check?.();
    // Not in the thread pool, where it would take ten times as long.
    renameSync(temp, target);
    onRenamed?.();
  } catch (error) {
    tryRemove(temp);
    throw error;
  }
  await syncParent();
}

/** Puts a symbolic link in place. Durable when the folder is synced. */
export function commitLink(
  path: string,
  { temp, target, check }: { readonly temp: string; readonly target: string; check(): void },
): void {
  symlinkSync(target, temp);
  try {
    check();
    renameSync(temp, path);
  } catch (error) {
    tryRemove(temp);
    throw error;
  }
}

/** Makes everything on the disk of a folder durable: for many files, faster than one fsync for each. */
export async function syncDisk(folder: string): Promise<void> {
  // Loading the module takes Node 2 ms.
  const { execFile } = await import('node:child_process');
  await promisify(execFile)(SYNC, ['-f', folder], { env: {} });
}

const SYNC = '/bin/sync';

export const CAN_SYNC_DISK = process.platform === 'linux' && existsSync(SYNC);

/** `replaceFile` for callers that must not yield. */
export function replaceFileSync(target: string, content: Uint8Array): void {
  const folder = dirname(target);
  const temp = join(folder, stagingName('writing'));
  const descriptor = openSync(temp, 'wx', 0o600);
  try {
    try {
      writeFileSync(descriptor, content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temp, target);
  } catch (error) {
    tryRemove(temp);
    throw error;
  }
  syncFolderSync(folder);
}

/** Creates a file; throws EEXIST if it exists. The content is durable, the name once the folder is synced. */
export async function createFile(target: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  const descriptor = openSync(target, 'wx', mode);
  try {
    await writeAll(descriptor, typeof content === 'string' ? Buffer.from(content) : content);
    await syncDescriptor(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Moves a file or folder with durable content. The move is durable when this resolves. */
export async function renameEntry(from: string, to: string): Promise<void> {
  renameSync(from, to);
  await syncFolder(dirname(to));
  if (dirname(from) !== dirname(to)) await syncFolder(dirname(from));
}

/** Creates a private folder with its parents and makes their names durable. Returns the topmost one it created. */
export async function createFolders(folder: string): Promise<string | undefined> {
  const topmost = makeFolders(resolve(folder), 0o700);
  if (topmost === undefined) return undefined;
  for (let made = resolve(folder); made.length >= topmost.length; made = dirname(made)) {
    await syncFolder(dirname(made));
  }
  return topmost;
}

/** Makes the names in a folder durable. Windows cannot open a folder and does not need to. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    await syncDescriptor(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export function syncFolderSync(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** fsync of an open file or folder. The callback API costs half as much as the promise API. */
export function syncDescriptor(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fsync(descriptor, (error) => (error ? reject(error) : resolve()));
  });
}

/** fdatasync: the content of an open file, without its times. */
export function syncContent(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(descriptor, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Appends `data` at `position`, the end of an append-only file, completely or not at all: a partial write is truncated.
 * If that fails too, the remainder has no line break, and the next write overwrites it.
 */
export function appendSync(descriptor: number, data: Uint8Array, position: number): void {
  try {
    for (let written = 0; written < data.length; ) {
      written += writeSync(descriptor, data, written, data.length - written, position + written);
    }
  } catch (error) {
    ifSystemAllows(() => ftruncateSync(descriptor, position));
    throw error;
  }
}

/** Up to this size a synchronous write is cheaper than the thread pool. */
const SMALL_BYTES = 262_144;

/** Writes at the current position of a file. */
export async function writeAll(descriptor: number, content: Uint8Array): Promise<void> {
  for (let written = 0; written < content.length; ) {
    const left = content.length - written;
    if (left <= SMALL_BYTES) written += writeSync(descriptor, content, written, left, null);
    else written += await writeSome(descriptor, content, written);
  }
}

function writeSome(descriptor: number, content: Uint8Array, from: number): Promise<number> {
  return new Promise((resolve, reject) => {
    writeWithCallback(descriptor, content, from, content.length - from, null, (error, written) =>
      error ? reject(error) : resolve(written),
    );
  });
}

/** Already removed, or a disk error: the original error is more informative. */
function tryRemove(path: string): void {
  ifSystemAllows(() => unlinkSync(path));
}
