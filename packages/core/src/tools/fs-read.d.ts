import type { MountedFs } from '../mounts/mounted-fs.ts';
import { type Tool } from './tool.ts';
export interface ReadLimits {
  readonly maxReadBytes: number;
  /** What goes into one answer; larger files come as a preview. */
  readonly inlineReadBytes: number;
  readonly artifactsDir: string;
}
export declare function createFsRead(files: MountedFs, limits: ReadLimits): Tool;
