/**
 * What stands at a name, seen without opening it.
 */
import type { BigIntStats } from 'node:fs';
import { type FileIdentity, lstatIfPresent, toIdentity } from './file-identity.ts';
import type { FolderEntry } from './open-path.ts';

export interface TreeEntry {
  readonly kind: FolderEntry['kind'];
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly mode: number;
  readonly ownerId: number;
  /** Tells two things apart of which one came when the other was gone. */
  readonly bornNs: bigint;
  readonly identity: FileIdentity;
}

/** A link is told as a link. Undefined where there is nothing. */
export function lookAtPath(path: string): TreeEntry | undefined {
  const stats = lstatIfPresent(path);
  return stats && toTreeEntry(stats);
}

export function toTreeEntry(stats: BigIntStats): TreeEntry {
  return {
    kind: kindOf(stats),
    bytes: Number(stats.size),
    modifiedMs: Number(stats.mtimeMs),
    mode: Number(stats.mode) & 0o777,
    ownerId: Number(stats.uid),
    bornNs: stats.birthtimeNs,
    identity: toIdentity(stats),
  };
}

function kindOf(stats: BigIntStats): TreeEntry['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'link' : 'special';
}

/** An error as the system would throw it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
