/** Reads a file line by line, with one chunk in memory, or one line if that is longer. */
import { closeSync, fstatSync, openSync, readSync, read as readWithCallback } from 'node:fs';
import { errnoOf } from '../../../base/errno.ts';

const CHUNK_BYTES = 262_144;
/** Up to this size a synchronous read is cheaper than the thread pool: most logs that are opened are new. */
const SMALL_BYTES = 65_536;
const LINE_BREAK = 10;

interface LineRange {
  readonly from?: number;
  /** Exclusive. */
  readonly to?: number;
}

/** Reports every complete line with the offset of the next one. Returns the size, including an incomplete last line. */
export async function readLines(
  descriptor: number,
  onLine: (line: string, end: number) => void,
  { from = 0, to = Number.POSITIVE_INFINITY }: LineRange = {},
): Promise<number> {
  let buffer: Buffer | undefined;
  let filled = 0;
  let offset = from;
  for (;;) {
    const position = offset + filled;
    const left = Math.min(fstatSync(descriptor).size, to) - position;
    if (left <= 0) return position;
    buffer ??= Buffer.allocUnsafe(Math.min(left, CHUNK_BYTES));
    const part = buffer.subarray(filled, filled + left);
    const bytesRead = await (left <= SMALL_BYTES
      ? readSync(descriptor, part, 0, part.length, position)
      : readSome(descriptor, part, position));
    if (bytesRead === 0) return position;
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

function readSome(descriptor: number, part: Buffer, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    readWithCallback(descriptor, part, 0, part.length, position, (error, bytesRead) =>
      error ? reject(error) : resolve(bytesRead),
    );
  });
}

/** Runs `work` with the file open; undefined if there is no file. */
export async function withOpened<T>(
  file: string,
  work: (descriptor: number) => Promise<T>,
  flags: 'r' | 'r+' = 'r',
): Promise<T | undefined> {
  const descriptor = openIfPresent(file, flags);
  if (descriptor === undefined) return undefined;
  try {
    return await work(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function openIfPresent(file: string, flags: 'r' | 'r+'): number | undefined {
  try {
    return openSync(file, flags);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
