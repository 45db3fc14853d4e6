/**
 * Locks kept by the operating system: it frees them the moment their process is gone, however it went. They come from a
 * native addon that some machines cannot load.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { errnoOf } from '../../base/errno.ts';

/** `unsupported`: there is no addon for this machine, or the disk knows no locks. */
export type KernelLockAttempt = 'taken' | 'held' | 'unsupported';

/**
 * Tries to lock an open file; closing it unlocks. Two descriptors compete even within one process. A shared lock is only
 * for finding out whether somebody holds the file, and excludes nobody but a taker at that very moment.
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

// On Windows nobody else can read what is locked, so there it is a byte far behind the content; elsewhere the whole file.
const RANGE: readonly [offset: number, length: number] =
  process.platform === 'win32' ? [1_048_576, 1] : [0, 0];

interface Addon {
  /** Throws EAGAIN, on Windows EBUSY, when another descriptor holds the lock. */
  tryLock(fd: number, offset: number, length: number, isExclusive: boolean): void;
}

/** The binary itself: what the package has around it takes ten times as long to load. */
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
