import type { MountedFs } from '../mounts/mounted-fs.ts';
import type { IsSecret } from '../mounts/secret-files.ts';
import { type LineFinder } from './line-finder.ts';
import { type Tool } from './tool.ts';
export interface FsSearchParts {
  readonly files: MountedFs;
  readonly isSecret: IsSecret;
  readonly artifactsDir: string;
  /** ripgrep where there is one, if left out. */
  readonly finder?: LineFinder;
  readonly timeLimitMs?: number;
}
export declare function createFsSearch(parts: FsSearchParts): Tool;
