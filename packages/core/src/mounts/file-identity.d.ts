/** Which file it was, and in which state: any later write changes one of these. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
  readonly size: bigint;
  readonly changedNs: bigint;
}
/** Thrown by `replace` and `remove` when somebody else changed the file meanwhile. */
export declare class ChangedMeanwhile extends Error {}
export declare function toIdentity(stats: {
  dev: bigint;
  ino: bigint;
  size: bigint;
  ctimeNs: bigint;
}): FileIdentity;
/** Throws when what stands at `path` is not the file that was seen, or not nothing where nothing was. */
export declare function checkIdentity(path: string, expected: FileIdentity | 'absent'): void;
export declare function lstatIfPresent(path: string): import('fs').BigIntStats | undefined;
