import { type Tool } from './tool.ts';
import { type WriteSources } from './write-file.ts';
export declare function createFsApplyPatch(sources: WriteSources): Tool;
