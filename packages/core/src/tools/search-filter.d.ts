import type { MountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
export interface SearchFilter {
  /** Lines as in a `.gitignore` at the root of the mount. */
  readonly rules: readonly string[];
  readonly includeHidden: boolean;
  /** Whether a file (as a path inside its mount) that lies at or below `start` is to be searched. */
  isWanted(path: string, start: string): boolean;
}
/** A glob without a leading slash fits at any depth, and one that fits a folder takes in all that is in it. */
export declare function toSearchFilter(globs: readonly string[]):
  | SearchFilter
  | {
      readonly badGlob: string;
    };
/** The rules of the `.gitignore` files in the folders above `start`, rewritten as if they stood at the root. */
export declare function readRulesAbove(files: MountedFs, start: MountPath): Promise<string[]>;
