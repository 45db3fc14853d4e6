import type { MountedFs } from '../mounts/mounted-fs.ts';
import { type Tool } from './tool.ts';
export declare function createFsList(files: MountedFs, artifactsDir: string): Tool;
