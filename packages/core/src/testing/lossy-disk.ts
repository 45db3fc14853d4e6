/**
 * Simulates power loss: records every fsync and rename of this process below one folder and computes the content of that folder
 * with synced data only. File contents are those of the file's last fsync, names those of the folder's last fsync.
 * Hooks Node's own functions, so that the code under test needs no abstraction. Linux only: paths come from /proc/self/fd.
 */
import fs, { type BigIntStats, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join, relative, sep } from 'node:path';

/** Remaining content of the folder, by path; a folder ends in a slash and has no content. */
export type PowerLoss = ReadonlyMap<string, Buffer | undefined>;

export interface LossyDisk {
  /** Marks everything as synced, for files a test prepared. */
  settle(): void;
  /** The remaining content if the power failed now. */
  losePower(): PowerLoss;
  /** Files and folders that were renamed before all of their content was synced. */
  readonly earlyRenames: readonly string[];
  /** Removes the hooks. */
  stop(): void;
}

export interface LossyDiskOptions {
  /** Called after each fsync, and before each rename, of something below the folder. What it throws, that step throws. */
  readonly onStep?: (disk: LossyDisk) => void;
}

export const canLosePower = process.platform === 'linux';

export async function watchDisk(root: string, { onStep }: LossyDiskOptions = {}): Promise<LossyDisk> {
  const handles = await fileHandlePrototype(root);
  const files = new Map<string, Buffer>();
  const folders = new Map<string, ReadonlyMap<string, Entry>>();
  const earlyRenames: string[] = [];

  const isBelow = (path: string): boolean => path === root || path.startsWith(root + sep);
  /** Captures the current content; the returned function makes it durable. */
  const capture = (path: string): (() => void) => {
    const stats = fs.lstatSync(path, { bigint: true });
    const key = keyOf(stats);
    if (stats.isDirectory()) {
      const entries = entriesOf(path);
      return () => folders.set(key, entries);
    }
    const content = stats.isFile() ? fs.readFileSync(path) : Buffer.alloc(0);
    return () => files.set(key, content);
  };
  const settle = (path: string): void => {
    capture(path)();
    if (!fs.lstatSync(path).isDirectory()) return;
    for (const name of fs.readdirSync(path)) settle(join(path, name));
  };
  const isSynced = (path: string): boolean => {
    const stats = fs.lstatSync(path, { bigint: true });
    if (stats.isFile()) return files.get(keyOf(stats))?.equals(fs.readFileSync(path)) ?? false;
    if (!stats.isDirectory()) return true;
    const known = folders.get(keyOf(stats));
    const names = fs.readdirSync(path);
    return (
      known !== undefined &&
      names.every((name) => known.has(name) && isSynced(join(path, name))) &&
      known.size === names.length
    );
  };
  const collect = (key: string, path: string, left: Map<string, Buffer | undefined>): void => {
    for (const [name, entry] of folders.get(key) ?? []) {
      const child = path === '' ? name : `${path}/${name}`;
      if (entry.kind === 'file') left.set(child, files.get(entry.key) ?? Buffer.alloc(0));
      if (entry.kind !== 'folder') continue;
      left.set(`${child}/`, undefined);
      collect(entry.key, child, left);
    }
  };

  const disk: LossyDisk = {
    settle: () => settle(root),
    losePower() {
      const left = new Map<string, Buffer | undefined>();
      collect(keyOf(fs.lstatSync(root, { bigint: true })), '', left);
      return left;
    },
    earlyRenames,
    stop: hookDisk(handles, {
      beforeSync(descriptor) {
        const path = fs.readlinkSync(`/proc/self/fd/${descriptor}`);
        if (!isBelow(path)) return () => undefined;
        const publish = capture(path);
        return () => {
          publish();
          onStep?.(disk);
        };
      },
      beforeRename(from) {
        const path = fs.realpathSync(from);
        if (!isBelow(path)) return;
        if (!isSynced(path)) earlyRenames.push(relative(root, path));
        onStep?.(disk);
      },
    }),
  };
  disk.settle();
  return disk;
}

/** Replaces the content of a folder by the remaining content. */
export function writePowerLoss(left: PowerLoss, root: string): void {
  for (const name of fs.readdirSync(root)) {
    const path = join(root, name);
    makeRemovable(path);
    fs.rmSync(path, { recursive: true, force: true });
  }
  for (const [path, content] of left) {
    if (content === undefined) fs.mkdirSync(join(root, path), { mode: 0o700 });
    else fs.writeFileSync(join(root, path), content, { mode: 0o600 });
  }
}

function makeRemovable(path: string): void {
  if (!fs.lstatSync(path).isDirectory()) return;
  fs.chmodSync(path, 0o700);
  for (const name of fs.readdirSync(path)) makeRemovable(join(path, name));
}

interface Entry {
  readonly kind: 'file' | 'folder' | 'other';
  readonly key: string;
}

function entriesOf(folder: string): ReadonlyMap<string, Entry> {
  return new Map(
    fs.readdirSync(folder).map((name) => {
      const stats = fs.lstatSync(join(folder, name), { bigint: true });
      return [name, { kind: kindOf(stats), key: keyOf(stats) }];
    }),
  );
}

function kindOf(stats: Stats | BigIntStats): Entry['kind'] {
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'folder' : 'other';
}

/** Inode numbers are reused after a deletion; the birth time distinguishes the files. */
function keyOf({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

interface DiskHooks {
  /** Returns a callback for when the sync has succeeded. */
  beforeSync(descriptor: number): () => void;
  beforeRename(from: string): void;
}

type Callback = (error: NodeJS.ErrnoException | null) => void;

/** Wraps all sync and rename functions of Node. Returns a function that removes the hooks. */
function hookDisk(handles: FileHandle, { beforeSync, beforeRename }: DiskHooks): () => void {
  const { fsync, fdatasync, fsyncSync, fdatasyncSync, renameSync } = fs;
  const { rename } = fs.promises;
  const { sync, datasync } = handles;
  const watched =
    (original: (descriptor: number, done: Callback) => void) =>
    (descriptor: number, done: Callback): void => {
      const synced = beforeSync(descriptor);
      original(descriptor, (error) => {
        let issue = error;
        try {
          if (!error) synced();
        } catch (thrown) {
          issue = thrown as NodeJS.ErrnoException;
        }
        done(issue);
      });
    };
  const watchedSync =
    (original: (descriptor: number) => void) =>
    (descriptor: number): void => {
      const synced = beforeSync(descriptor);
      original(descriptor);
      synced();
    };
  const watchedHandle = (original: (this: FileHandle) => Promise<void>) =>
    async function (this: FileHandle): Promise<void> {
      const synced = beforeSync(this.fd);
      await original.call(this);
      synced();
    };
  Object.assign(fs, {
    fsync: watched(fsync),
    fdatasync: watched(fdatasync),
    fsyncSync: watchedSync(fsyncSync),
    fdatasyncSync: watchedSync(fdatasyncSync),
    renameSync(from: string, to: string) {
      beforeRename(from);
      renameSync(from, to);
    },
  });
  fs.promises.rename = async (from, to) => {
    beforeRename(String(from));
    await rename(from, to);
  };
  Object.assign(handles, { sync: watchedHandle(sync), datasync: watchedHandle(datasync) });
  syncBuiltinESMExports();
  return () => {
    Object.assign(fs, { fsync, fdatasync, fsyncSync, fdatasyncSync, renameSync });
    fs.promises.rename = rename;
    Object.assign(handles, { sync, datasync });
    syncBuiltinESMExports();
  };
}

/** Node does not export the FileHandle class, so its prototype is read from a handle. */
async function fileHandlePrototype(folder: string): Promise<FileHandle> {
  const handle = await fs.promises.open(folder, 'r');
  await handle.close();
  return Object.getPrototypeOf(handle) as FileHandle;
}
