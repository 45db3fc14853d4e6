/**
 * Opens and locks lock files: only regular files in the folder itself. A symbolic link or a pipe instead is refused with
 * STORE_REFUSED, so that locking never creates, truncates or blocks on another file. Locks of the operating system are released
 * when their process exits; they come from a native addon that is not available on every machine.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { CrewError } from '../../../base/crew-error.ts';
import { errnoOf } from '../../../base/errno.ts';

// Windows has neither flag, so the entry is checked before it is opened.
const NO_FOLLOW: number | undefined = constants.O_NOFOLLOW;
const FLAGS = (NO_FOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens for reading and writing; creates the file. The caller closes the descriptor. */
export function openLock(file: string): number {
  return openRegular(file, constants.O_RDWR | constants.O_CREAT);
}

/** Undefined if there is no file. The caller closes the descriptor. */
export function openLockForReading(file: string): number | undefined {
  try {
    return openRegular(file, constants.O_RDONLY);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether there is a folder of claims. Throws STORE_REFUSED for anything but a folder. */
export function hasClaimsFolder(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) throw notRegular(folder);
  return found !== undefined;
}

/** Errors for a symbolic link (EMLINK on FreeBSD) and for a socket. */
const NOT_REGULAR: ReadonlySet<string> = new Set(['ELOOP', 'EMLINK', 'ENXIO']);

function openRegular(file: string, flags: number): number {
  if (NO_FOLLOW === undefined && lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
    throw notRegular(file);
  let descriptor: number;
  try {
    descriptor = openSync(file, flags | FLAGS, 0o600);
  } catch (error) {
    throw NOT_REGULAR.has(errnoOf(error) ?? '') ? notRegular(file, error) : error;
  }
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw notRegular(file);
}

function notRegular(file: string, cause?: unknown): CrewError {
  return new CrewError(
    'STORE_REFUSED',
    `The lock "${basename(file)}" in the store is not a regular file, and another user may have put it there; delete it and try again.`,
    { details: { file }, cause },
  );
}

/** `unsupported`: there is no addon for this machine, or the file system has no locks. */
type KernelLockAttempt = 'taken' | 'held' | 'unsupported';

/**
 * Tries to lock an open file; closing it unlocks. Two descriptors compete even within one process. A shared lock is only
 * for probing whether the file is held; it excludes only exclusive attempts at the same moment.
 */
export function tryKernelLock(fd: number, { isShared }: { readonly isShared: boolean }): KernelLockAttempt {
  const found = findAddon();
  if (!found) return 'unsupported';
  try {
    found.tryLock(fd, ...RANGE, !isShared);
    return 'taken';
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return errno === 'EAGAIN' || errno === 'EBUSY' ? 'held' : 'unsupported';
  }
}

// On Windows a locked range cannot be read, so it is one byte far behind the content; elsewhere it is the whole file.
const RANGE: readonly [offset: number, length: number] =
  process.platform === 'win32' ? [1_048_576, 1] : [0, 0];

interface Addon {
  /** Throws EAGAIN, on Windows EBUSY, when another descriptor holds the lock. */
  tryLock(fd: number, offset: number, length: number, isExclusive: boolean): void;
}

let addon: { readonly loaded: Addon | undefined } | undefined;

/** Looked up once per thread, also if there is none: every lock needs it. */
function findAddon(): Addon | undefined {
  addon ??= { loaded: loadAddon() };
  return addon.loaded;
}

/** Loads the binary directly: the JavaScript around it takes ten times as long to load. */
function loadAddon(): Addon | undefined {
  try {
    const require = createRequire(import.meta.url);
    const folder = dirname(require.resolve('fs-native-extensions'));
    const platform = `${process.platform}-${process.arch}`;
    return require(join(folder, 'prebuilds', platform, 'fs-native-extensions.node')) as Addon;
  } catch {
    return undefined;
  }
}
