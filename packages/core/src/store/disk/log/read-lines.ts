/** Reads a file line by line, with one chunk in memory, or one line if that is longer. */
import { type FileHandle, open } from 'node:fs/promises';
import { ifPresent } from '../../../base/errno.ts';

const CHUNK_BYTES = 262_144;
const LINE_BREAK = 10;

interface LineRange {
  readonly from?: number;
  /** Exclusive. */
  readonly to?: number;
}

/** Reports every complete line with the offset of the next one. Returns the size, including an incomplete last line. */
export async function readLines(
  handle: FileHandle,
  onLine: (line: string, end: number) => void,
  { from = 0, to = Number.POSITIVE_INFINITY }: LineRange = {},
): Promise<number> {
  let buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let filled = 0;
  let offset = from;
  for (;;) {
    const wanted = Math.min(buffer.length - filled, to - offset - filled);
    const { bytesRead } = await handle.read(buffer, filled, wanted, offset + filled);
    if (bytesRead === 0) return offset + filled;
    const data = buffer.subarray(0, filled + bytesRead);
    let start = 0;
    for (let end = data.indexOf(LINE_BREAK, filled); end !== -1; end = data.indexOf(LINE_BREAK, start)) {
      onLine(data.toString('utf8', start, end), offset + end + 1);
      start = end + 1;
    }
    const rest = data.subarray(start);
    if (rest.length === buffer.length) buffer = Buffer.allocUnsafe(buffer.length * 2);
    rest.copy(buffer);
    filled = rest.length;
    offset += start;
  }
}

/** Runs `work` with the file open for reading; undefined if there is no file. */
export async function withOpened<T>(
  file: string,
  work: (handle: FileHandle) => Promise<T>,
): Promise<T | undefined> {
  const handle = await ifPresent(open(file, 'r'));
  try {
    return handle && (await work(handle));
  } finally {
    await handle?.close();
  }
}
