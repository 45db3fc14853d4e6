import { type Tool } from './tool.ts';
import { type WriteSources } from './write-file.ts';
export declare function createFsWrite(sources: WriteSources): Tool;
