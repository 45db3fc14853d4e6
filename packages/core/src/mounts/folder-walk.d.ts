/** Where a walk ended: an open folder and a name in it (undefined for the mount's root). Must be closed. */
export interface Place {
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
}
/** Throws SandboxViolation for a way that leads out, the system's own error for one that does not exist. */
export declare function walk(root: string, segments: readonly string[], options?: WalkOptions): Place;
