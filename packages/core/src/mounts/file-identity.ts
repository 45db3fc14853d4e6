/**
 * Which file it is, so that nobody writes over another one than they saw.
 */
import { lstatSync } from 'node:fs';

/** Which file it was, and in which state: any later write changes one of these. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
  readonly size: bigint;
  readonly changedNs: bigint;
}

/** Thrown by `replace` and `remove` when somebody else changed the file meanwhile. */
export class ChangedMeanwhile extends Error {}

export function toIdentity(stats: { dev: bigint; ino: bigint; size: bigint; ctimeNs: bigint }): FileIdentity {
  return { device: stats.dev, inode: stats.ino, size: stats.size, changedNs: stats.ctimeNs };
}

/** Throws when what stands at `path` is not the file that was seen, or not nothing where nothing was. */
export function checkIdentity(path: string, expected: FileIdentity | 'absent'): void {
  const now = lstatIfPresent(path);
  if (expected === 'absent') {
    if (now) throw new ChangedMeanwhile();
    return;
  }
  if (!now || !isSameIdentity(toIdentity(now), expected)) throw new ChangedMeanwhile();
}

export function isSameIdentity(a: FileIdentity, b: FileIdentity): boolean {
  return a.device === b.device && a.inode === b.inode && a.size === b.size && a.changedNs === b.changedNs;
}

export function lstatIfPresent(path: string) {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false });
}
