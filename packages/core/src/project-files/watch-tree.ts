/**
 * What is touched in a project, wherever in it: one watch where the system watches whole trees, else one for each folder,
 * new ones included. No link is followed, and what is on the ignore list is not even looked at.
 */
import { errnoOf } from '../base/errno.ts';
import { isIgnoredName } from '../base/ignored-names.ts';
import { parseStagingName } from '../base/staging.ts';
import type { MountPath } from '../mounts/mount-path.ts';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import type { FolderEntry } from '../mounts/open-path.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';
import type { TreeEntry } from '../mounts/tree-entry.ts';
import { WATCHES_TREES } from '../mounts/watch-folder.ts';
import { childOf } from './project-path.ts';

type Kind = FolderEntry['kind'];

export interface Touched {
  readonly path: MountPath;
  /** It came or went, or took the place of something. */
  readonly isRename: boolean;
}

interface FoundEntry {
  readonly path: MountPath;
  readonly kind: Kind;
}

export interface TreeWatch {
  /** Nothing is known of single folders; what is said of them below is for others. */
  readonly isDeep: boolean;
  /** What is known to be in a folder; undefined for one that is not watched. */
  known(folder: MountPath): Map<string, Kind> | undefined;
  /** Whether what stands at a path is the very folder that is watched there. */
  isWatched(folder: MountPath, entry: TreeEntry): boolean;
  /** Watches a folder that is new, and all in it. Answers with everything that was found. */
  add(folder: MountPath): Promise<FoundEntry[]>;
  /** A folder is gone. */
  drop(folder: MountPath): void;
  close(): void;
}

export interface TreeWatchOptions extends SystemLimits {
  readonly tree: MountedTree;
  onTouched(touched: Touched): void;
  /** Nothing more will be told. */
  onLost(): void;
}

/** Known here; given to try out what happens elsewhere. */
export interface SystemLimits {
  /** Whether the system watches whole trees. */
  readonly isDeep?: boolean | undefined;
  /** More folders than this are not watched: each costs the system something. */
  readonly maxFolders?: number | undefined;
}

interface WatchedFolder {
  readonly names: Map<string, Kind>;
  readonly identity: string;
  stop(): void;
}

const MAX_FOLDERS = 20_000;
const ROOT: MountPath = { mount: '@project', segments: [] };

/** Thrown when there are too many folders. */
export class TooManyFolders extends Error {}

/** Watches from the moment it resolves. Throws what the system says when it does not watch any more. */
export async function watchTree({
  tree,
  onTouched,
  onLost,
  isDeep = WATCHES_TREES,
  maxFolders = MAX_FOLDERS,
}: TreeWatchOptions): Promise<TreeWatch> {
  const folders = new Map<string, WatchedFolder>();
  let isClosed = false;

  const start = (folder: MountPath): WatchedFolder => {
    const { entry, stop } = tree.watch(folder, {
      isDeep,
      onTouched: (segments, isRename) => {
        if (isClosed || segments.some(isUnwatched)) return;
        onTouched({ path: { ...folder, segments: [...folder.segments, ...segments] }, isRename });
      },
      onLost: () => {
        if (!isClosed) onLost();
      },
    });
    const watched = { names: new Map<string, Kind>(), identity: identityOf(entry), stop };
    folders.get(keyOf(folder))?.stop();
    folders.set(keyOf(folder), watched);
    return watched;
  };

  const addOne = async (folder: MountPath): Promise<FoundEntry[]> => {
    if (folders.size >= maxFolders) throw new TooManyFolders();
    // Watched first, read then: what comes between the two is seen twice rather than never.
    const { names } = start(folder);
    for await (const batch of tree.entries(folder)) {
      for (const { name, kind } of batch) if (!isUnwatched(name)) names.set(name, kind);
      if (isClosed) break;
    }
    return [...names].map(([name, kind]) => ({ path: childOf(folder, name), kind }));
  };

  const add = async (top: MountPath): Promise<FoundEntry[]> => {
    const found: FoundEntry[] = [];
    const pending = [top];
    for (let folder = pending.pop(); folder && !isClosed; folder = pending.pop()) {
      try {
        const children = await addOne(folder);
        found.push(...children);
        for (const { path, kind } of children) if (kind === 'folder') pending.push(path);
      } catch (error) {
        // Gone again, or something else by now: that is told in its turn. The project itself is not passed over.
        if (folder.segments.length === 0 || !isOutOfReach(error)) throw error;
        drop(folder);
      }
    }
    return found;
  };

  const drop = (folder: MountPath): void => {
    const key = keyOf(folder);
    for (const [other, { stop }] of folders) {
      if (other !== key && !other.startsWith(`${key}/`)) continue;
      stop();
      folders.delete(other);
    }
  };

  const close = (): void => {
    isClosed = true;
    for (const { stop } of folders.values()) stop();
    folders.clear();
  };

  try {
    if (isDeep) start(ROOT);
    else await add(ROOT);
  } catch (error) {
    close();
    throw error;
  }
  return {
    isDeep,
    known: (folder) => folders.get(keyOf(folder))?.names,
    isWatched: (folder, entry) => folders.get(keyOf(folder))?.identity === identityOf(entry),
    add,
    drop,
    close,
  };
}

/** Which folder it is; a number alone may be given to the next one at once. */
export function identityOf(entry: TreeEntry | undefined): string {
  return entry?.kind === 'folder'
    ? `${entry.identity.device}:${entry.identity.inode}:${entry.birthtimeNs}`
    : '';
}

function isUnwatched(name: string): boolean {
  return isIgnoredName(name) || parseStagingName(name) !== undefined;
}

function isOutOfReach(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === 'ENOENT' || errno === 'ENOTDIR' || errno === 'EACCES' || error instanceof SandboxViolation;
}

function keyOf({ segments }: MountPath): string {
  return segments.join('/');
}
