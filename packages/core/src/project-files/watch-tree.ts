/**
 * Watches a project tree: one recursive watch if the system supports it, otherwise one per folder, including new
 * folders. Follows no links and skips ignored names.
 */
import { errnoOf } from '../base/errno.ts';
import { isIgnoredName } from '../base/ignored-names.ts';
import { parseStagingName } from '../base/staging.ts';
import type { MountPath } from '../mounts/mount-path.ts';
import { type MountedTree, WATCHES_TREES } from '../mounts/mounted-tree.ts';
import type { FolderEntry } from '../mounts/open-path.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';
import type { TreeEntry } from '../mounts/tree-entry.ts';
import { childOf } from './project-path.ts';

type Kind = FolderEntry['kind'];

export interface Touched {
  readonly path: MountPath;
  /** The entry was added, removed or replaced. */
  readonly isRename: boolean;
}

interface FoundEntry {
  readonly path: MountPath;
  readonly kind: Kind;
}

export type TreeWatch = Awaited<ReturnType<typeof watchTree>>;

interface TreeWatchOptions extends SystemLimits {
  readonly tree: MountedTree;
  onTouched(touched: Touched): void;
  /** The watch ended; no more notices follow. */
  onLost(): void;
}

/** System capabilities; overridden in tests. */
export interface SystemLimits {
  /** Whether the system can watch whole trees. */
  readonly isDeep?: boolean | undefined;
  /** Limit of watched folders: each uses system resources. */
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

/** Active when this resolves. Rejects with the system error if watching is not possible. */
export async function watchTree({
  tree,
  onTouched,
  onLost,
  isDeep = WATCHES_TREES,
  maxFolders = MAX_FOLDERS,
}: TreeWatchOptions) {
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
    // Watch before reading: a change in between is reported twice rather than never.
    const { names } = start(folder);
    for await (const batch of tree.entries(folder)) {
      for (const { name, kind } of batch) if (!isUnwatched(name)) names.set(name, kind);
      if (isClosed) break;
    }
    return [...names].map(([name, kind]) => ({ path: childOf(folder, name), kind }));
  };

  /** Watches a new folder and its subfolders. Returns all entries found. */
  const add = async (top: MountPath): Promise<FoundEntry[]> => {
    const found: FoundEntry[] = [];
    const pending = [top];
    for (let folder = pending.pop(); folder && !isClosed; folder = pending.pop()) {
      try {
        const children = await addOne(folder);
        found.push(...children);
        for (const { path, kind } of children) if (kind === 'folder') pending.push(path);
      } catch (error) {
        // Removed or replaced meanwhile: reported separately. Errors of the project folder itself are thrown.
        if (folder.segments.length === 0 || !isOutOfReach(error)) throw error;
        drop(folder);
      }
    }
    return found;
  };

  /** Stops watching a removed folder. */
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
    /** If true, single folders are not tracked, and the methods below do not apply. */
    isDeep,
    /** Known entries of a folder; undefined if it is not watched. */
    known: (folder: MountPath) => folders.get(keyOf(folder))?.names,
    /** Whether the entry at a path is the folder that is watched there. */
    isWatched: (folder: MountPath, entry: TreeEntry): boolean =>
      folders.get(keyOf(folder))?.identity === identityOf(entry),
    add,
    drop,
    close,
  };
}

/** Identity of a folder; includes the birth time because inode numbers are reused. */
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
