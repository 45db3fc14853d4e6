/**
 * Metadata of a directory entry, read without opening it.
 */
import type { BigIntStats } from 'node:fs';
import { type EntryKind, kindOf } from '../base/entry-kind.ts';
import { type FileIdentity, lstatIfPresent, toIdentity } from './file-identity.ts';

export interface TreeEntry {
  readonly kind: EntryKind;
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly mode: number;
  readonly ownerId: number;
  /** Distinguishes an entry from one that replaced it. */
  readonly birthtimeNs: bigint;
  readonly identity: FileIdentity;
}

/** Does not follow links. Undefined if the entry does not exist. */
export function statEntry(path: string): TreeEntry | undefined {
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
    birthtimeNs: stats.birthtimeNs,
    identity: toIdentity(stats),
  };
}

/**
 * True if neither owner, group nor others may write. Windows reports its read-only attribute in the same way. Replacing a file only
 * requires write permission for its folder, and root needs none, so the permissions of the file must be checked explicitly.
 */
export function isReadOnly(mode: number): boolean {
  return (mode & 0o222) === 0;
}
