/**
 * Identity of a file, so that a write never replaces a version its author has not seen.
 */
import { type BigIntStats, lstatSync } from 'node:fs';

/** Identifies a file and its version: any write changes at least one field. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
  /** Kind and permissions: the clock of `changedNs` may be too coarse to show a change of them. */
  readonly mode: bigint;
  readonly size: bigint;
  readonly changedNs: bigint;
}

/** Thrown by `replace` and `remove` if another program changed the file meanwhile. */
export class ChangedMeanwhile extends Error {}

export function toIdentity({
  dev: device,
  ino: inode,
  mode,
  size,
  ctimeNs: changedNs,
}: Pick<BigIntStats, 'dev' | 'ino' | 'mode' | 'size' | 'ctimeNs'>): FileIdentity {
  return { device, inode, mode, size, changedNs };
}

/** Throws ChangedMeanwhile unless `path` is the expected file, or does not exist if `absent` is expected. */
export function checkIdentity(path: string, expected: FileIdentity | 'absent'): void {
  const now = lstatIfPresent(path);
  if (expected === 'absent') {
    if (now) throw new ChangedMeanwhile();
    return;
  }
  if (!now || !isSameIdentity(toIdentity(now), expected)) throw new ChangedMeanwhile();
}

export function isSameIdentity(a: FileIdentity, b: FileIdentity): boolean {
  return (
    a.device === b.device &&
    a.inode === b.inode &&
    a.mode === b.mode &&
    a.size === b.size &&
    a.changedNs === b.changedNs
  );
}

export function lstatIfPresent(path: string) {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false });
}
