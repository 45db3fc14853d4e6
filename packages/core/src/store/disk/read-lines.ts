/**
 * Reads a file line by line in pieces: what is in memory at a time is one piece, or one line if that is longer.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { errnoOf } from '../../base/errno.ts';

const PIECE_BYTES = 262_144;
const LINE_BREAK = 10;

interface LineRange {
  readonly from?: number;
  /** Nothing from here on is read. */
  readonly to?: number;
}

/** Tells every finished line, and where the next one begins. Answers how many bytes there were, the unfinished end included. */
export async function readLines(
  handle: FileHandle,
  onLine: (line: string, end: number) => void,
  { from = 0, to = Number.POSITIVE_INFINITY }: LineRange = {},
): Promise<number> {
  let buffer = Buffer.allocUnsafe(PIECE_BYTES);
  let filled = 0;
  let offset = from;
  for (;;) {
    const wanted = Math.min(buffer.length - filled, to - offset - filled);
    const { bytesRead } = await handle.read(buffer, filled, wanted, offset + filled);
    if (bytesRead === 0) return offset + filled;
    const fresh = buffer.subarray(0, filled + bytesRead);
    let start = 0;
    for (let end = fresh.indexOf(LINE_BREAK, filled); end !== -1; end = fresh.indexOf(LINE_BREAK, start)) {
      onLine(fresh.toString('utf8', start, end), offset + end + 1);
      start = end + 1;
    }
    const rest = fresh.subarray(start);
    if (rest.length === buffer.length) buffer = Buffer.allocUnsafe(buffer.length * 2);
    rest.copy(buffer);
    filled = rest.length;
    offset += start;
  }
}

/** To be read; undefined where there is none. */
export async function openIfPresent(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, 'r');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
