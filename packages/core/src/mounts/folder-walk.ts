/**
 * Walks from the root of a mount to a file, folder by folder, without letting the system follow links: each folder is
 * held open while its child is opened, so a folder swapped meanwhile cannot lead elsewhere. The target of a link is
 * spliced into the remaining path and checked like any other segment. On Linux a child is opened as
 * `/proc/self/fd/N/name`, which refers to the opened folder even if it was renamed. Elsewhere folders are opened by
 * path, and their identity is compared again after the last segment.
 */
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { syncFolderSync } from '../base/durable-files.ts';
import { errnoOf, systemError } from '../base/errno.ts';
import { SandboxViolation } from './sandbox-violation.ts';

const HAS_DESCRIPTOR_PATHS = process.platform === 'linux' && existsSync('/proc/self/fd');
const FOLDER_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
const MAX_LINKS = 32;

/** A folder along the path; `descriptor` is null on systems that cannot hold folders open. */
interface Frame {
  readonly name: string;
  readonly descriptor: number | null;
  readonly path: string;
  /** Compared again by `verify`; undefined for a folder held open. */
  readonly identity: { readonly device: bigint; readonly inode: bigint } | undefined;
}

/** Result of a walk: an open folder and a name in it (undefined for the mount's root). Must be closed. */
export interface OpenPath {
  /** The path with links resolved. */
  readonly segments: readonly string[];
  readonly name: string | undefined;
  /** Path of the folder, valid until `close`. */
  readonly folderPath: string;
  /** Path of the file, valid until `close`. The file may not exist. */
  readonly filePath: string;
  /** Descriptor of the folder, for fsync. */
  readonly folderDescriptor: number | null;
  /** Throws if a folder along the path was replaced. */
  verify(): void;
  close(): void;
}

export interface WalkOptions {
  /** Create missing folders. */
  readonly makeFolders?: boolean;
  /** Also open the last segment as a folder. */
  readonly enterLast?: boolean;
  /** Do not follow links: a link along the path is rejected, a link at its end is returned as such. */
  readonly isExact?: boolean;
  /** False for folders that nobody keeps: a created one is not made durable. */
  readonly isSynced?: boolean;
  /** Hold folders open instead of using paths; default: whatever the system supports. */
  readonly isHeld?: boolean;
}

/** Throws SandboxViolation for a path that leaves the mount, and the system error for one that does not exist. */
export function walk(root: string, segments: readonly string[], options: WalkOptions = {}): OpenPath {
  const { isHeld = HAS_DESCRIPTOR_PATHS } = options;
  const frames: Frame[] = [openFrame('', root, { isHeld, isRoot: true })];
  try {
    const name = descend(root, frames, [...segments], { ...options, isHeld });
    return toOpenPath(frames, name);
  } catch (error) {
    closeAll(frames);
    throw error;
  }
}

/** Passes `use` an open path, and closes it. */
export async function withOpenPath<T>(
  openPath: OpenPath,
  use: (openPath: OpenPath) => T | Promise<T>,
): Promise<T> {
  try {
    return await use(openPath);
  } finally {
    openPath.close();
  }
}

/** Opens a subfolder, never through a link. Must be closed before `parent`. */
export function enterFolder(parent: OpenPath, name: string): OpenPath {
  const frame = openChild(pathIn(parent, name), name, parent.folderDescriptor !== null);
  return {
    segments: [...parent.segments, name],
    name: undefined,
    folderPath: frame.path,
    filePath: frame.path,
    folderDescriptor: frame.descriptor,
    verify: () => {
      parent.verify();
      verifyFrame(frame);
    },
    close: () => closeAll([frame]),
  };
}

/** Path of an entry in the open folder, valid until `openPath` is closed. */
export function pathIn(openPath: OpenPath, name: string): string {
  return join(openPath.folderPath, name);
}

/** Opens all folders and returns the last segment, which is not a link unless `isExact`. */
function descend(
  root: string,
  frames: Frame[],
  pending: string[],
  options: WalkOptions & { readonly isHeld: boolean },
): string | undefined {
  let links = 0;
  for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      leave(frames);
      continue;
    }
    const isLast = !options.enterLast && pending.every((part) => part === '' || part === '.');
    if (isLast && options.isExact) return name;
    const target = isLast ? linkTarget(join(innermost(frames).path, name)) : enter(frames, name, options);
    if (target === undefined) {
      if (isLast) return name;
      continue;
    }
    if (options.isExact) throw new SandboxViolation('link', 'goes through a link');
    if (++links > MAX_LINKS) throw new SandboxViolation('link', 'goes through too many links');
    pending.unshift(...spliceLink(root, frames, target));
  }
  return undefined;
}

/** Opens a folder. If `name` is a link, returns its target and opens nothing. */
function enter(
  frames: Frame[],
  name: string,
  { makeFolders = false, isSynced = true, isHeld }: WalkOptions & { readonly isHeld: boolean },
): string | undefined {
  const current = innermost(frames);
  const path = join(current.path, name);
  try {
    frames.push(openFrame(name, path, { isHeld }));
    return undefined;
  } catch (error) {
    const target = linkTarget(path);
    if (target !== undefined) return target;
    if (!makeFolders || errnoOf(error) !== 'ENOENT') throw error;
  }
  try {
    mkdirSync(path);
    if (isSynced) syncFolderSync(current.path);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  frames.push(openFrame(name, path, { isHeld }));
  return undefined;
}

function leave(frames: Frame[]): void {
  const left = frames.length > 1 ? frames.pop() : undefined;
  if (!left) throw leavesMount();
  if (left.descriptor !== null) closeSync(left.descriptor);
}

/** Segments of a link target. An absolute target must be inside the mount; the walk restarts at the root. */
function spliceLink(root: string, frames: Frame[], target: string): string[] {
  const isWindows = process.platform === 'win32';
  const isAbsoluteTarget = isWindows ? /^(?:[A-Za-z]:|[\\/])/.test(target) : target.startsWith('/');
  if (!isAbsoluteTarget) return target.split(isWindows ? /[\\/]/ : '/');
  const inside = relative(realpathSync(root), target);
  // Another drive. A target above the root is rejected later, by `leave`.
  if (isAbsolute(inside)) throw leavesMount();
  while (frames.length > 1) leave(frames);
  return inside.split(sep);
}

/** Target of a link; undefined if `path` is not a link or does not exist. */
function linkTarget(path: string): string | undefined {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
  try {
    return readlinkSync(path);
  } catch (error) {
    // The link was replaced or removed meanwhile.
    if (errnoOf(error) === 'EINVAL' || errnoOf(error) === 'ENOENT') throw changedWhileOpening();
    throw error;
  }
}

interface Opening {
  readonly isHeld: boolean;
  /** The user chose the root, so it may be a link. */
  readonly isRoot?: boolean;
}

function openFrame(name: string, path: string, { isHeld, isRoot = false }: Opening): Frame {
  if (isHeld) {
    const flags = isRoot ? FOLDER_FLAGS & ~(constants.O_NOFOLLOW ?? 0) : FOLDER_FLAGS;
    const descriptor = openSync(path, flags);
    return { name, descriptor, path: `/proc/self/fd/${descriptor}`, identity: undefined };
  }
  const stats = lstatSync(path, { bigint: true });
  if (!stats.isDirectory() && !isRoot) throw systemError('ENOTDIR');
  return { name, descriptor: null, path, identity: { device: stats.dev, inode: stats.ino } };
}

/** Reports a folder that was replaced meanwhile as changed. */
function openChild(path: string, name: string, isHeld: boolean): Frame {
  try {
    return openFrame(name, path, { isHeld });
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') throw changedWhileOpening();
    throw error;
  }
}

function toOpenPath(frames: readonly Frame[], name: string | undefined): OpenPath {
  const folder = innermost(frames);
  return {
    segments: [...frames.slice(1).map((frame) => frame.name), ...(name === undefined ? [] : [name])],
    name,
    folderPath: folder.path,
    filePath: name === undefined ? folder.path : join(folder.path, name),
    folderDescriptor: folder.descriptor,
    verify: () => {
      for (const frame of frames) verifyFrame(frame);
    },
    close: () => closeAll(frames),
  };
}

function innermost(frames: readonly Frame[]): Frame {
  const frame = frames.at(-1);
  if (!frame) throw new Error('a walk has at least its root');
  return frame;
}

function verifyFrame({ identity, path }: Frame): void {
  if (!identity) return;
  const stats = lstatSync(path, { bigint: true });
  if (stats.dev !== identity.device || stats.ino !== identity.inode) throw changedWhileOpening();
}

function closeAll(frames: readonly Frame[]): void {
  for (const { descriptor } of frames) if (descriptor !== null) closeSync(descriptor);
}

function leavesMount(): SandboxViolation {
  return new SandboxViolation('link', 'goes through a link that leads out of the mount');
}

function changedWhileOpening(): SandboxViolation {
  return new SandboxViolation('link', 'was changed while it was being opened');
}
