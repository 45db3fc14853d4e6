/**
 * Walks from the root of a mount to a file, folder by folder, without ever following a link by itself: each folder is
 * held open while its child is looked up, so that nothing swapped in between can lead elsewhere. A link is read, its
 * target spliced into the way that is left, and judged like any other part.
 *
 * On Linux a child is reached through `/proc/self/fd/N/name`, which is the opened folder itself, whatever its path has
 * become. Elsewhere folders are named by path and their identity is compared again after the last step.
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
import { errnoOf } from '../base/errno.ts';
import { SandboxViolation } from './sandbox-violation.ts';

const HAS_DESCRIPTOR_PATHS = process.platform === 'linux' && existsSync('/proc/self/fd');
const FOLDER_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
const MAX_LINKS = 32;

/** An opened folder on the way; `null` descriptor where folders cannot be held open. */
interface Frame {
  readonly name: string;
  readonly descriptor: number | null;
  readonly path: string;
  /** To be compared again; undefined where the folder is held open. */
  readonly identity: { readonly device: bigint; readonly inode: bigint } | undefined;
}

/** Where a walk ended: an open folder and a name in it (undefined for the mount's root). Must be closed. */
export interface OpenPath {
  /** The way as it really is, links resolved. */
  readonly segments: readonly string[];
  readonly name: string | undefined;
  /** The path of the folder itself, good while the place is open. */
  readonly folderPath: string;
  /** The path of the final file, good while the place is open. It may not exist yet. */
  readonly filePath: string;
  /** The descriptor of the folder, for fsync. */
  readonly folderDescriptor: number | null;
  /** Throws when a folder on the way is no longer the one that was walked through. */
  verify(): void;
  close(): void;
}

export interface WalkOptions {
  /** Folders that are missing on the way are made. */
  readonly makeFolders?: boolean;
  /** The last part is a folder to be entered, too. */
  readonly enterLast?: boolean;
  /** No link is followed: one on the way is refused, one at the end is the thing itself. */
  readonly isExact?: boolean;
  /** Folders are held open rather than named by path; as the system can if left out. */
  readonly isHeld?: boolean;
}

/** Throws SandboxViolation for a way that leads out, the system's own error for one that does not exist. */
export function walk(root: string, segments: readonly string[], options: WalkOptions = {}): OpenPath {
  const { isHeld = HAS_DESCRIPTOR_PATHS } = options;
  const frames: Frame[] = [openFrame('', root, { isHeld, isRoot: true })];
  try {
    const name = descend(root, frames, [...segments], { ...options, isHeld });
    return toPlace(frames, name);
  } catch (error) {
    closeAll(frames);
    throw error;
  }
}

/** Opens a folder inside a place that is open, never through a link. Must be closed before that place is. */
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

/** The path of something in the folder where a walk ended, good while that is open. */
export function pathIn(openPath: OpenPath, name: string): string {
  return join(openPath.folderPath, name);
}

/** Opens every folder; returns the name of the last part, which is no link (or does not exist, or was not asked about). */
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

/** Steps into a folder; where a link stands instead, its target comes back and nothing was entered. */
function enter(
  frames: Frame[],
  name: string,
  { makeFolders = false, isHeld }: WalkOptions & { readonly isHeld: boolean },
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
    syncFolderSync(current.path);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  frames.push(openFrame(name, path, { isHeld }));
  return undefined;
}

function leave(frames: Frame[]): void {
  const left = frames.length > 1 ? frames.pop() : undefined;
  if (!left) throw leadsOut();
  if (left.descriptor !== null) closeSync(left.descriptor);
}

/** The parts a link adds to the way. An absolute target must lie in the mount and starts again at its root. */
function spliceLink(root: string, frames: Frame[], target: string): string[] {
  const isWindows = process.platform === 'win32';
  const isWhole = isWindows ? /^(?:[A-Za-z]:|[\\/])/.test(target) : target.startsWith('/');
  if (!isWhole) return target.split(isWindows ? /[\\/]/ : '/');
  const inside = relative(realpathSync(root), target);
  // Another drive; a way up is refused where it leaves the root.
  if (isAbsolute(inside)) throw leadsOut();
  while (frames.length > 1) leave(frames);
  return inside.split(sep);
}

/** Where a link leads; undefined for anything else, and for nothing. */
function linkTarget(path: string): string | undefined {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
  try {
    return readlinkSync(path);
  } catch (error) {
    // It was a link a moment ago.
    if (errnoOf(error) === 'EINVAL' || errnoOf(error) === 'ENOENT') throw changed();
    throw error;
  }
}

interface Opening {
  readonly isHeld: boolean;
  /** The root is what the person chose, even if that is a link. */
  readonly isRoot?: boolean;
}

function openFrame(name: string, path: string, { isHeld, isRoot = false }: Opening): Frame {
  if (isHeld) {
    const flags = isRoot ? FOLDER_FLAGS & ~(constants.O_NOFOLLOW ?? 0) : FOLDER_FLAGS;
    const descriptor = openSync(path, flags);
    return { name, descriptor, path: `/proc/self/fd/${descriptor}`, identity: undefined };
  }
  const stats = lstatSync(path, { bigint: true });
  if (!stats.isDirectory() && !isRoot) throw notAFolder();
  return { name, descriptor: null, path, identity: { device: stats.dev, inode: stats.ino } };
}

/** What was a folder a moment ago is one still, or nobody enters. */
function openChild(path: string, name: string, isHeld: boolean): Frame {
  try {
    return openFrame(name, path, { isHeld });
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') throw changed();
    throw error;
  }
}

function toPlace(frames: readonly Frame[], name: string | undefined): OpenPath {
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
  if (stats.dev !== identity.device || stats.ino !== identity.inode) throw changed();
}

function closeAll(frames: readonly Frame[]): void {
  for (const { descriptor } of frames) if (descriptor !== null) closeSync(descriptor);
}

function leadsOut(): SandboxViolation {
  return new SandboxViolation('link', 'goes through a link that leads out of the mount');
}

function changed(): SandboxViolation {
  return new SandboxViolation('link', 'was changed while it was being opened');
}

function notAFolder(): Error {
  return Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
}
