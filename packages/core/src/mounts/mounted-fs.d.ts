import { type FileIdentity } from './file-identity.ts';
import type { MountPath } from './mount-path.ts';
import { type FileReader, type FolderEntry } from './open-place.ts';
import { type ReplaceOptions } from './replace-file.ts';
import type { IsSecret } from './secret-files.ts';
export interface MountRoots {
  readonly project: string;
  readonly pkg: string;
  readonly state: string;
}
export interface OpenFile {
  readonly handle: FileReader;
  readonly bytes: number;
  readonly mode: number;
  readonly identity: FileIdentity;
  /** Where the file really lies in its mount, links resolved. */
  readonly path: MountPath;
}
export interface MountedFs {
  /** Where a path really leads, links resolved; parts at the end need not exist. Writing calls want such a path. */
  resolve(path: MountPath, access: 'read' | 'write'): MountPath;
  /** Opens a plain file for reading, hands it to `use`, closes it. */
  withFile<T>(path: MountPath, use: (file: OpenFile) => Promise<T>): Promise<T>;
  /** The entries of a folder, some hundred at a time, in no order. */
  entries(path: MountPath): AsyncGenerator<readonly FolderEntry[]>;
  /** Replaces or creates a file, missing folders included: old or new after any crash, never torn. */
  replace(path: MountPath, content: Uint8Array, options: ReplaceOptions): Promise<FileIdentity>;
  /** Removes a plain file. */
  remove(path: MountPath, expected?: FileIdentity): Promise<void>;
  /** A folder's path good for handing to another program while `use` runs. */
  withFolder<T>(path: MountPath, use: (folderPath: string) => Promise<T>): Promise<T>;
}
export declare function createMountedFs(roots: MountRoots, isSecret: IsSecret): MountedFs;
