/**
 * File operations for direct actions of the user: reading, creating, moving and removing files, links and folders of a
 * project. Walks exactly: no link is followed; a link along the path is rejected, a link at its end is itself moved or
 * removed. Tools of a run have no access to it.
 */
import {
  chmodSync,
  closeSync,
  fchmodSync,
  futimesSync,
  mkdirSync,
  openSync,
  realpathSync,
  rmdirSync,
  statSync,
  symlinkSync,
  watch,
} from 'node:fs';
import { join, sep } from 'node:path';
import { syncDescriptor, writeAll } from '../base/durable-files.ts';
import { errnoOf, systemError } from '../base/errno.ts';
import { type OpenPath, pathIn, type WalkOptions, walk, withOpenPath } from './folder-walk.ts';
import type { MountPath } from './mount-path.ts';
import { moveEntry, type NamedOpenPath } from './move-entry.ts';
import { type FolderEntry, nextTurn, readEntries } from './open-path.ts';
import { syncFolderOf } from './replace-file.ts';
import { SandboxViolation } from './sandbox-violation.ts';
import { statEntry, type TreeEntry, toTreeEntry } from './tree-entry.ts';
import { type TreeVisit, visitTree } from './visit-tree.ts';

interface NewFile {
  readonly mode: number;
  readonly modifiedMs: number;
  readonly content: AsyncIterable<Uint8Array>;
}

export interface MountedTree {
  /** Metadata of an entry, links not followed; undefined if it does not exist. */
  stat(path: MountPath): TreeEntry | undefined;
  /** `stat` for many names in one folder. */
  statAll(folder: MountPath, names: readonly string[]): Promise<(TreeEntry | undefined)[]>;
  /** Entries of a folder in batches, unordered. */
  entries(folder: MountPath): AsyncGenerator<readonly FolderEntry[]>;
  /** Visits an entry and, if it is a folder, its content. */
  visit(path: MountPath): AsyncGenerator<TreeVisit>;
  makeFolder(path: MountPath): Promise<void>;
  /** Throws ENOTEMPTY if the folder is not empty. */
  removeEmptyFolder(path: MountPath): Promise<void>;
  /** Throws EEXIST if the new name exists, unless it differs from the old one in letter case only. */
  move(from: MountPath, to: MountPath): Promise<void>;
  /** Removes a file, a link, or a folder with its content. */
  remove(path: MountPath): Promise<void>;
  /** Throws EEXIST if the name exists. The content is durable when this resolves, the name after `seal`. */
  addFile(path: MountPath, file: NewFile): Promise<void>;
  addLink(path: MountPath, target: string): Promise<void>;
  /** Sets the permissions of a folder and makes the names in it durable. */
  seal(folder: MountPath, mode: number): Promise<void>;
  /** Passes `use` the system path of an entry, for another program. Throws ENOENT if it does not exist. */
  withSystemPath<T>(path: MountPath, use: (openPath: SystemPath) => T): T;
  /** Watches a folder. Active when this returns. */
  watch(folder: MountPath, options: WatchOptions): FolderWatch;
}

interface FolderWatch {
  /** The watched folder. */
  readonly entry: TreeEntry;
  stop(): void;
}

interface SystemPath {
  readonly path: string;
  /** False for a link to a folder. */
  readonly isFolder: boolean;
}

/** Number of entries after which other tasks may run. */
const STATS_PER_TURN = 256;

/** `held`: see `WalkOptions.isHeld`. */
export function createMountedTree(root: string, held: Pick<WalkOptions, 'isHeld'> = {}): MountedTree {
  const paths = createTreePaths(root, held);
  return { ...createTreeReader(root, paths), ...createTreeEditor(paths) };
}

function createTreePaths(root: string, held: Pick<WalkOptions, 'isHeld'>) {
  const locate = ({ mount, segments }: MountPath, options: WalkOptions = {}): OpenPath => {
    if (mount !== '@project') throw new SandboxViolation('path', 'is not in the project');
    return walk(root, segments, { ...held, ...options, isExact: true });
  };
  return {
    locate,
    /** Passes `use` the open parent folder and the name of the entry. */
    withName: async <T>(path: MountPath, use: (openPath: NamedOpenPath) => T | Promise<T>): Promise<T> =>
      withOpenPath(locate(path), (openPath) => {
        // The project folder itself is neither created, moved nor removed.
        const { name } = openPath;
        if (name === undefined) throw systemError('EBUSY');
        openPath.verify();
        return use({ ...openPath, name });
      }),
    withFolder: async <T>(folder: MountPath, use: (openPath: OpenPath) => Promise<T>): Promise<T> =>
      withOpenPath(locate(folder, { enterLast: true }), use),
  };
}

type TreePaths = ReturnType<typeof createTreePaths>;
type TreeReader = Pick<MountedTree, 'stat' | 'statAll' | 'entries' | 'visit' | 'withSystemPath' | 'watch'>;

function createTreeReader(root: string, paths: TreePaths): TreeReader {
  return {
    stat(path) {
      try {
        const openPath = paths.locate(path);
        try {
          return statAt(openPath);
        } finally {
          openPath.close();
        }
      } catch (error) {
        if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
        throw error;
      }
    },

    statAll: (folder, names) =>
      paths.withFolder(folder, async (openPath) => {
        const found: (TreeEntry | undefined)[] = [];
        for (const name of names) {
          found.push(statEntry(pathIn(openPath, name)));
          if (found.length % STATS_PER_TURN === 0) await nextTurn();
        }
        openPath.verify();
        return found;
      }),

    async *entries(folder) {
      const openPath = paths.locate(folder, { enterLast: true });
      try {
        yield* readEntries(openPath);
      } finally {
        openPath.close();
      }
    },

    async *visit(path) {
      const openPath = paths.locate(path);
      try {
        if (openPath.name === undefined) throw systemError('EBUSY');
        yield* visitTree(openPath, openPath.name);
      } finally {
        openPath.close();
      }
    },

    withSystemPath(path, use) {
      const openPath = paths.locate(path);
      try {
        const entry = statAt(openPath);
        if (!entry) throw systemError('ENOENT');
        // Descriptors are of no use to another program, so it gets the path that was just resolved.
        return use({ path: join(root, ...openPath.segments), isFolder: entry.kind === 'folder' });
      } finally {
        openPath.close();
      }
    },

    watch(folder, options) {
      const openPath = paths.locate(folder, { enterLast: true });
      try {
        return { stop: watchPath(openPath.folderPath, options), entry: statFolder(openPath) };
      } finally {
        openPath.close();
      }
    },
  };
}

function createTreeEditor(paths: TreePaths): Omit<MountedTree, keyof TreeReader> {
  return {
    makeFolder: (path) =>
      paths.withName(path, async (openPath) => {
        mkdirSync(openPath.filePath);
        await syncFolderOf(openPath);
      }),

    removeEmptyFolder: (path) =>
      paths.withName(path, async (openPath) => {
        rmdirSync(openPath.filePath);
        await syncFolderOf(openPath);
      }),

    move: (from, to) =>
      paths.withName(from, (source) => paths.withName(to, (target) => moveEntry(source, target))),

    remove: (path) =>
      paths.withName(path, async (openPath) => {
        for await (const visit of visitTree(openPath, openPath.name, { isRemoving: true })) {
          if (visit.entry.kind !== 'folder' || visit.isLeaving) visit.remove();
        }
        await syncFolderOf(openPath);
      }),

    addFile: (path, file) => paths.withName(path, (openPath) => addFileAt(openPath, file)),

    addLink: (path, target) => paths.withName(path, (openPath) => symlinkSync(target, openPath.filePath)),

    seal: (folder, mode) =>
      paths.withFolder(folder, async (openPath) => {
        await syncFolderOf(openPath);
        chmodSync(openPath.folderPath, mode);
      }),
  };
}

function statAt(openPath: OpenPath): TreeEntry | undefined {
  const entry = openPath.name === undefined ? statFolder(openPath) : statEntry(openPath.filePath);
  openPath.verify();
  return entry;
}

/** Follows a link: the user chose the project folder, so it may be a link. */
function statFolder(openPath: OpenPath): TreeEntry {
  return toTreeEntry(statSync(openPath.folderPath, { bigint: true }));
}

async function addFileAt(openPath: OpenPath, { mode, modifiedMs, content }: NewFile): Promise<void> {
  const descriptor = openSync(openPath.filePath, 'wx', mode);
  try {
    for await (const piece of content) await writeAll(descriptor, piece);
    fchmodSync(descriptor, mode);
    futimesSync(descriptor, modifiedMs / 1000, modifiedMs / 1000);
    await syncDescriptor(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Whether a whole tree can be watched at once. Linux watches single folders. */
export const WATCHES_TREES = process.platform === 'darwin' || process.platform === 'win32';

interface WatchOptions {
  /** Include subfolders. */
  readonly isDeep: boolean;
  /** Path of the changed entry, relative to the watched folder. `isRename` if it was added, removed or replaced. */
  onTouched(segments: readonly string[], isRename: boolean): void;
  /** The folder can no longer be watched. */
  onLost(): void;
}

/**
 * Notifications name the changed entry; the kind of change is unreliable. Active when this returns; returns a function that stops it.
 * Never keeps the process alive.
 */
export function watchPath(path: string, { isDeep, onTouched, onLost }: WatchOptions): () => void {
  // A tree is watched by its real path, which must stay valid after the folder is closed.
  const name = isDeep ? realpathSync(path) : path;
  const watcher = watch(name, { persistent: false, recursive: isDeep }, (type, touched) => {
    if (touched !== null) onTouched(touched.split(sep), type === 'rename');
  });
  watcher.on('error', onLost);
  return () => watcher.close();
}
