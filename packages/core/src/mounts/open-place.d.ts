/**
 * Reading at the end of a walk: a plain file, or the entries of a folder. Follows nothing, waits for nothing.
 */
import { type Dir } from 'node:fs';
import type { Place } from './folder-walk.ts';
import { SandboxViolation } from './sandbox-violation.ts';
/** A plain file, open for reading. */
export interface FileReader {
  /** The whole content as it was when the file was opened. */
  readFile(): Promise<Buffer>;
  /** Fills a buffer from a position; fewer bytes at the end of the file. */
  read(buffer: Buffer, position: number): Promise<number>;
}
export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'special';
}
/** Moving this much takes less time than handing it to another thread. */
export declare const SMALL_BYTES: number;
export declare const BATCH = 512;
export declare function openPlainFile(place: Place): number;
export declare function createReader(descriptor: number, bytes: number): FileReader;
/** Read in one go from the system's own buffer: a promise for each of a hundred thousand names would cost more than they do. */
export declare function readBatch(folder: Dir): FolderEntry[];
/** Lets everything else that is waiting run. */
export declare function nextTurn(): Promise<void>;
export declare function special(): SandboxViolation;
export declare function isFolder(): Error;
