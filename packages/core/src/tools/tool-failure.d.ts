/**
 * What went wrong with a file, told to the model: a code, a sentence with what to do instead, mount paths only.
 */
import type { ToolFailure } from '@crewagent/protocol/tools';
import { type MountPath } from '../mounts/mount-path.ts';
/** A path as the model wrote it; a failure when it is not one. */
export declare function readPath(text: string, artifactsDir: string): MountPath | ToolFailure;
/** The failure to answer with. What is not a matter of files or paths is thrown again: it is a bug. */
export declare function toFileFailure(error: unknown, path: string): ToolFailure;
