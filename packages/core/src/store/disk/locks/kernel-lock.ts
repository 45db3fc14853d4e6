/**
 * Locks of the operating system, released automatically when their process exits. Provided by a native addon that is not
 * available on every machine.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { errnoOf } from '../../../base/errno.ts';

/** `unsupported`: there is no addon for this machine, or the file system has no locks. */
export type KernelLockAttempt = 'taken' | 'held' | 'unsupported';

/**
 * Tries to lock an open file; closing it unlocks. Two descriptors compete even within one process. A shared lock is only
 * for probing whether the file is held; it excludes only exclusive attempts at the same moment.
 */
export function tryKernelLock(fd: number, { isShared }: { readonly isShared: boolean }): KernelLockAttempt {
  const addon = loadAddon();
  if (!addon) return 'unsupported';
  try {
    addon.tryLock(fd, ...RANGE, !isShared);
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
