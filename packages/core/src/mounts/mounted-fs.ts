/**
 * The only opener of users' files. Every access names a mount, is walked to folder by folder, and ends in a plain file
 * or folder inside that mount or in a refusal. Real paths go in once, at the start, and never come out.
 */
import {
  closeSync,
  constants,
  type Dir,
  type Dirent,
  fchmodSync,
  fstatSync,
  fsync as fsyncWithCallback,
  lstatSync,
  opendirSync,
  openSync,
  readSync,
  read as readWithCallback,
  renameSync,
  unlinkSync,
  writeSync,
  write as writeWithCallback,
} from 'node:fs';
import { promisify } from 'node:util';
import { syncFolder } from '../base/durable-files.ts';
import { errnoOf } from '../base/errno.ts';
import { foldName } from '../base/file-names.ts';
import { type Place, type WalkOptions, walk } from './folder-walk.ts';
import type { MountName, MountPath } from './mount-path.ts';
import { SandboxViolation } from './sandbox-violation.ts';
import type { IsSecret } from './secret-files.ts';

export interface MountRoots {
  readonly project: string;
  readonly pkg: string;
  readonly state: string;
}

/** Which file it was, and in which state: any later write changes one of these. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
  readonly size: bigint;
  readonly changedNs: bigint;
}

/** A plain file, open for reading. */
export interface FileReader {
  /** The whole content as it was when the file was opened. */
  readFile(): Promise<Buffer>;
  /** Fills a buffer from a position; fewer bytes at the end of the file. */
  read(buffer: Buffer, position: number): Promise<number>;
}

export interface OpenFile {
  readonly handle: FileReader;
  readonly bytes: number;
  readonly mode: number;
  readonly identity: FileIdentity;
  /** Where the file really lies in its mount, links resolved. */
  readonly path: MountPath;
}

export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'special';
}

export interface ReplaceOptions {
  /** The file the new content was made from; `absent` when there was none. Anything else there refuses the write. */
  readonly expected?: FileIdentity | 'absent';
  /** Name of the temp file beside the target, so that a journal can clean it up after a crash. */
  readonly tempName: string;
  /** Permissions to give; those of the file that is replaced if left out. */
  readonly mode?: number;
}

/** Thrown by `replace` and `remove` when somebody else changed the file meanwhile. */
export class ChangedMeanwhile extends Error {}

export interface MountedFs {
  /** Where a path really leads, links resolved; parts at the end need not exist. Writing calls want such a path. */
  resolve(path: MountPath, access: 'read' | 'write'): MountPath;
  /** Opens a plain file for reading, hands it to `use`, closes it. */
  withFile<T>(path: MountPath, use: (file: OpenFile) => Promise<T>): Promise<T>;
  /** The entries of a folder, some hundred at a time, in no order. */
  entries(path: MountPath): AsyncGenerator<readonly FolderEntry[]>;
  /** Replaces or creates a file, missing folders included: old or new after any crash, never torn. */
  replace(path: MountPath, content: Uint8Array, options: ReplaceOptions): Promise<FileIdentity>;
  /** Removes a plain file. */
  remove(path: MountPath, expected?: FileIdentity): Promise<void>;
  /** A folder's path good for handing to another program while `use` runs. */
  withFolder<T>(path: MountPath, use: (folderPath: string) => Promise<T>): Promise<T>;
}

/** With the callback forms underneath; the promise forms cost twice as much. */
const readAt = promisify(readWithCallback);
const writeAt = promisify(writeWithCallback);
const fsync = promisify(fsyncWithCallback);

const BATCH = 512;
/** Moving this much takes less time than handing it to another thread. */
const SMALL_BYTES = 256 * 1024;
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export function createMountedFs(roots: MountRoots, isSecret: IsSecret): MountedFs {
  const rootOf = (mount: MountName): string =>
    mount === '@project' ? roots.project : mount === '@pkg' ? roots.pkg : roots.state;

  const locate = (path: MountPath, access: 'read' | 'write', options: WalkOptions = {}): Place => {
    checkAccess(path, access, isSecret);
    const place = walk(rootOf(path.mount), path.segments, options);
    try {
      // Deny rules hold for where the way ends, not only for how it is written.
      checkAccess({ mount: path.mount, segments: place.segments }, access, isSecret);
      return place;
    } catch (error) {
      place.close();
      throw error;
    }
  };

  const resolve = (path: MountPath, access: 'read' | 'write'): MountPath => {
    try {
      const place = locate(path, access);
      place.close();
      return { mount: path.mount, segments: place.segments };
    } catch (error) {
      const last = path.segments.at(-1);
      if (errnoOf(error) !== 'ENOENT' || last === undefined) throw error;
      const parent = resolve({ mount: path.mount, segments: path.segments.slice(0, -1) }, access);
      const resolved = { mount: path.mount, segments: [...parent.segments, last] };
      checkAccess(resolved, access, isSecret);
      return resolved;
    }
  };

  /** A place to write to must be where it was when the write was judged: a link put there since is not followed. */
  const locateExactly = (path: MountPath, options: WalkOptions = {}): Place => {
    const place = locate(path, 'write', options);
    if (place.segments.join('/') === path.segments.join('/')) return place;
    place.close();
    throw new SandboxViolation('link', 'was changed while it was being written');
  };

  return {
    resolve,

    async withFile(path, use) {
      const place = locate(path, 'read');
      let descriptor: number | undefined;
      try {
        descriptor = openPlainFile(place);
        const stats = fstatSync(descriptor, { bigint: true });
        place.verify();
        if (stats.isDirectory()) throw isFolder();
        if (!stats.isFile()) throw special();
        const bytes = Number(stats.size);
        return await use({
          handle: createReader(descriptor, bytes),
          bytes,
          mode: Number(stats.mode) & 0o777,
          identity: toIdentity(stats),
          path: { mount: path.mount, segments: place.segments },
        });
      } finally {
        if (descriptor !== undefined) closeSync(descriptor);
        place.close();
      }
    },

    async *entries(path) {
      const place = locate(path, 'read', { enterLast: true });
      try {
        const folder = opendirSync(place.folderPath, { bufferSize: BATCH });
        try {
          place.verify();
          for (let batch = readBatch(folder); batch.length > 0; batch = readBatch(folder)) {
            yield batch;
            await nextTurn();
          }
        } finally {
          folder.closeSync();
        }
      } finally {
        place.close();
      }
    },

    async replace(path, content, options) {
      const place = locateExactly(path, { makeFolders: true });
      try {
        return await replaceAt(place, content, options, path.mount === '@state' ? 0o600 : 0o666);
      } finally {
        place.close();
      }
    },

    async remove(path, expected) {
      const place = locateExactly(path);
      try {
        place.verify();
        if (expected) checkIdentity(place, expected);
        unlinkSync(place.filePath);
        await syncPlace(place);
      } finally {
        place.close();
      }
    },

    async withFolder(path, use) {
      const place = locate(path, 'read', { enterLast: true });
      try {
        return await use(place.folderPath);
      } finally {
        place.close();
      }
    },
  };
}

function checkAccess(path: MountPath, access: 'read' | 'write', isSecret: IsSecret): void {
  if (access === 'write' && path.mount === '@pkg')
    throw new SandboxViolation('read-only', 'is in the package, which cannot be changed');
  if (path.mount === '@project' && isSecret(path.segments))
    throw new SandboxViolation('secret', 'is a secret file, which no tool may touch');
  const [first = ''] = path.segments;
  if (path.mount === '@state' && foldName(first) === 'workflow.md' && first !== 'workflow.md')
    throw new SandboxViolation('private', 'is another spelling of @state/workflow.md');
}

function openPlainFile(place: Place): number {
  try {
    // Opening does not wait: neither for the other end of a pipe nor for a device.
    return openSync(place.filePath, READ_FLAGS);
  } catch (error) {
    if (errnoOf(error) === 'ELOOP')
      throw new SandboxViolation('link', 'was changed while it was being opened');
    if (errnoOf(error) === 'ENXIO') throw special();
    throw error;
  }
}

function createReader(descriptor: number, bytes: number): FileReader {
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

async function replaceAt(
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
    if (expected) checkIdentity(place, expected);
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

function checkIdentity(place: Place, expected: FileIdentity | 'absent'): void {
  const now = lstatIfPresent(place.filePath);
  if (expected === 'absent') {
    if (now) throw new ChangedMeanwhile();
    return;
  }
  if (!now) throw new ChangedMeanwhile();
  const { device, inode, size, changedNs } = toIdentity(now);
  if (
    device !== expected.device ||
    inode !== expected.inode ||
    size !== expected.size ||
    changedNs !== expected.changedNs
  )
    throw new ChangedMeanwhile();
}

function lstatIfPresent(path: string) {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false });
}

function toIdentity(stats: { dev: bigint; ino: bigint; size: bigint; ctimeNs: bigint }): FileIdentity {
  return { device: stats.dev, inode: stats.ino, size: stats.size, changedNs: stats.ctimeNs };
}

async function syncPlace(place: Place): Promise<void> {
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

/** Read in one go from the system's own buffer: a promise for each of a hundred thousand names would cost more than they do. */
function readBatch(folder: Dir): FolderEntry[] {
  const batch: FolderEntry[] = [];
  while (batch.length < BATCH) {
    const entry = folder.readSync();
    if (!entry) break;
    batch.push({ name: entry.name, kind: kindOf(entry) });
  }
  return batch;
}

/** Lets everything else that is waiting run. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function kindOf(entry: Dirent): FolderEntry['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'special';
}

function special(): SandboxViolation {
  return new SandboxViolation('special', 'is a device, pipe or socket, not a file');
}

function isFolder(): Error {
  return Object.assign(new Error('is a folder'), { code: 'EISDIR' });
}
