/**
 * Writing that survives a crash: a file is either the old one or the new one, never torn,
 * and what was reported as written is on the disk. Knows nothing of what it writes.
 */
import { type FileHandle } from 'node:fs/promises';
/** Replaces `target` with whatever `write` puts into the handle: temp file, fsync, rename, fsync of the folder. */
export declare function replaceFile(
  target: string,
  write: (handle: FileHandle) => Promise<void>,
  mode?: number,
): Promise<void>;
/** Makes new names in a folder durable. Windows cannot open a folder and does not need it. */
export declare function syncFolder(folder: string): Promise<void>;
/** Deletes a folder with all it holds, read-only folders included; links are removed, never followed. */
export declare function removeTree(path: string): Promise<void>;
