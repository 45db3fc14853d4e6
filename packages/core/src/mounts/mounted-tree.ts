/**
 * What only a person does with the files of a project: look at whatever there is, make, move and remove files, links and
 * whole folders. Walked to like everything in a mount, but exactly: no link is followed, one on the way is refused, and
 * one at the end is itself what is moved or removed. No tool of a run gets this.
 */
import {
  chmodSync,
  closeSync,
  fchmodSync,
  futimesSync,
  mkdirSync,
  openSync,
  rmdirSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { syncDescriptor, writeAll } from '../base/durable-files.ts';
import { errnoOf } from '../base/errno.ts';
import { type OpenPath, pathIn, type WalkOptions, walk } from './folder-walk.ts';
import type { MountPath } from './mount-path.ts';
import { moveEntry, type NamedOpenPath } from './move-entry.ts';
import { type FolderEntry, nextTurn, readEntries } from './open-path.ts';
import { syncFolderOf } from './replace-file.ts';
import { SandboxViolation } from './sandbox-violation.ts';
import { lookAtPath, systemError, type TreeEntry, toTreeEntry } from './tree-entry.ts';
import { type TreeVisit, visitTree } from './visit-tree.ts';
import { type WatchOptions, watchPath } from './watch-folder.ts';

export interface NewFile {
  readonly mode: number;
  readonly modifiedMs: number;
  readonly content: AsyncIterable<Uint8Array>;
}

export interface MountedTree {
  /** What stands there, a link for itself; undefined where there is nothing. */
  look(path: MountPath): TreeEntry | undefined;
  /** The same for many names in one folder. */
  lookInto(folder: MountPath, names: readonly string[]): Promise<(TreeEntry | undefined)[]>;
  /** The entries of a folder, some hundred at a time, in no order. */
  entries(folder: MountPath): AsyncGenerator<readonly FolderEntry[]>;
  /** The thing itself and, if it is a folder, everything in it. */
  visit(path: MountPath): AsyncGenerator<TreeVisit>;
  makeFolder(path: MountPath): Promise<void>;
  /** Throws ENOTEMPTY when there is something in it. */
  removeEmptyFolder(path: MountPath): Promise<void>;
  /** Throws EEXIST when the new name is taken; one that differs in upper and lower case only is not. */
  move(from: MountPath, to: MountPath): Promise<void>;
  /** Removes a file, a link, or a folder with everything in it. */
  remove(path: MountPath): Promise<void>;
  /** Throws EEXIST when the name is taken. The content is durable when this resolves, the name once the folder is sealed. */
  addFile(path: MountPath, file: NewFile): Promise<void>;
  addLink(path: MountPath, target: string): Promise<void>;
  /** Gives a folder its permissions and makes the names in it durable. */
  seal(folder: MountPath, mode: number): Promise<void>;
  /** Where something lies on the machine, for handing to another program. Throws ENOENT where there is nothing. */
  withOpenPath<T>(path: MountPath, use: (openPath: OutsidePath) => T): T;
  /** Watches a folder from the moment this returns. */
  watch(folder: MountPath, options: WatchOptions): FolderWatch;
}

export interface FolderWatch {
  /** The folder that is watched. */
  readonly entry: TreeEntry;
  stop(): void;
}

export interface OutsidePath {
  readonly path: string;
  /** A link to one is none. */
  readonly isFolder: boolean;
}

/** Then others may run. */
const LOOKS_A_TURN = 256;

/** `held`: whether folders are held open on the way; as the system can if left out. */
export function createMountedTree(root: string, held: Pick<WalkOptions, 'isHeld'> = {}): MountedTree {
  const locate = ({ mount, segments }: MountPath, options: WalkOptions = {}): OpenPath => {
    if (mount !== '@project') throw new SandboxViolation('path', 'is not in the project');
    return walk(root, segments, { ...held, ...options, isExact: true });
  };

  /** The folder of something, and its name in it. */
  const withName = async <T>(
    path: MountPath,
    use: (openPath: NamedOpenPath) => T | Promise<T>,
  ): Promise<T> => {
    const openPath = locate(path);
    try {
      // The project itself is neither made, moved nor removed.
      const { name } = openPath;
      if (name === undefined) throw systemError('EBUSY');
      openPath.verify();
      return await use({ ...openPath, name });
    } finally {
      openPath.close();
    }
  };

  const withFolder = async <T>(folder: MountPath, use: (openPath: OpenPath) => Promise<T>): Promise<T> => {
    const openPath = locate(folder, { enterLast: true });
    try {
      return await use(openPath);
    } finally {
      openPath.close();
    }
  };

  return {
    look(path) {
      try {
        const openPath = locate(path);
        try {
          const entry = openPath.name === undefined ? lookAtFolder(openPath) : lookAtPath(openPath.filePath);
          openPath.verify();
          return entry;
        } finally {
          openPath.close();
        }
      } catch (error) {
        if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
        throw error;
      }
    },

    lookInto: (folder, names) =>
      withFolder(folder, async (openPath) => {
        const found: (TreeEntry | undefined)[] = [];
        for (const name of names) {
          found.push(lookAtPath(pathIn(openPath, name)));
          if (found.length % LOOKS_A_TURN === 0) await nextTurn();
        }
        openPath.verify();
        return found;
      }),

    async *entries(folder) {
      const openPath = locate(folder, { enterLast: true });
      try {
        yield* readEntries(openPath);
      } finally {
        openPath.close();
      }
    },

    async *visit(path) {
      const openPath = locate(path);
      try {
        if (openPath.name === undefined) throw systemError('EBUSY');
        yield* visitTree(openPath, openPath.name);
      } finally {
        openPath.close();
      }
    },

    makeFolder: (path) =>
      withName(path, async (openPath) => {
        mkdirSync(openPath.filePath);
        await syncFolderOf(openPath);
      }),

    removeEmptyFolder: (path) =>
      withName(path, async (openPath) => {
        rmdirSync(openPath.filePath);
        await syncFolderOf(openPath);
      }),

    move: (from, to) => withName(from, (source) => withName(to, (target) => moveEntry(source, target))),

    remove: (path) =>
      withName(path, async (openPath) => {
        for await (const visit of visitTree(openPath, openPath.name, { isRemoving: true })) {
          if (visit.entry.kind !== 'folder' || visit.isLeft) visit.remove();
        }
        await syncFolderOf(openPath);
      }),

    addFile: (path, file) => withName(path, (openPath) => addFileAt(openPath, file)),

    addLink: (path, target) => withName(path, (openPath) => symlinkSync(target, openPath.filePath)),

    seal: (folder, mode) =>
      withFolder(folder, async (openPath) => {
        await syncFolderOf(openPath);
        chmodSync(openPath.folderPath, mode);
      }),

    withOpenPath(path, use) {
      const openPath = locate(path);
      try {
        const entry = openPath.name === undefined ? lookAtFolder(openPath) : lookAtPath(openPath.filePath);
        openPath.verify();
        if (!entry) throw systemError('ENOENT');
        // Another program knows nothing of folders we hold open: it is told the way as it was found just now.
        return use({ path: join(root, ...openPath.segments), isFolder: entry.kind === 'folder' });
      } finally {
        openPath.close();
      }
    },

    watch(folder, options) {
      const openPath = locate(folder, { enterLast: true });
      try {
        return { stop: watchPath(openPath.folderPath, options), entry: lookAtFolder(openPath) };
      } finally {
        openPath.close();
      }
    },
  };
}

/** Not its name: the project is what the person chose, even if that is a link. */
function lookAtFolder(openPath: OpenPath): TreeEntry {
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
