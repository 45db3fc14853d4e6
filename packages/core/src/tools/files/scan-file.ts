/**
 * Reads an open file for a tool: a small one whole, a large one as a stream, of which only the requested lines are kept. Size, hash
 * and number of lines are always those of the whole file.
 */
import { createHash } from 'node:crypto';
import { sha256Of } from '../../base/sha256.ts';
import type { OpenFile } from '../../mounts/mounted-fs.ts';
import type { FileReader } from '../../mounts/open-path.ts';
import { withoutPartialCharacter } from './text-file.ts';

/** Files up to this size are read into memory and decoded; larger files are streamed. */
const MAX_WHOLE_BYTES = 4 * 1024 * 1024;

export interface LineSpan {
  readonly startLine?: number | undefined;
  readonly endLine?: number | undefined;
}

export async function scanFile(file: OpenFile, span: LineSpan, signal: AbortSignal): Promise<Scan> {
  return file.bytes <= MAX_WHOLE_BYTES ? readWhole(file) : scanLargeFile(file, span, signal);
}

export interface Scan {
  readonly bytes: number;
  readonly sha256: string;
  /** The whole file, or the requested part of a large file. */
  readonly content: Buffer;
  readonly isPartial: boolean;
  readonly totalLines?: number;
}

async function readWhole({ handle }: OpenFile): Promise<Scan> {
  const content = await handle.readFile();
  return { bytes: content.length, sha256: sha256Of(content), content, isPartial: false };
}

/**
 * Streams a large file: computes its hash, counts its lines and collects the requested lines (or the beginning) up to
 * `MAX_WHOLE_BYTES`.
 */
async function scanLargeFile(
  { handle }: OpenFile,
  { startLine, endLine }: LineSpan,
  signal: AbortSignal,
): Promise<Scan> {
  const hash = createHash('sha256');
  const parts: Buffer[] = [];
  const [first, last] = [startLine ?? 1, endLine ?? Number.POSITIVE_INFINITY];
  let collectedBytes = 0;
  let bytes = 0;
  let line = 1;
  let lastByte = 0;
  let isCut = false;
  for await (const chunk of chunksOf(handle)) {
    // Reading may take longer than the time limit, so an abort is checked for each chunk.
    signal.throwIfAborted();
    hash.update(chunk);
    bytes += chunk.length;
    let from = line >= first ? 0 : chunk.length;
    let to = line <= last ? chunk.length : 0;
    for (let newline = chunk.indexOf(10); newline !== -1; newline = chunk.indexOf(10, newline + 1)) {
      if (++line === first) from = newline + 1;
      if (line === last + 1) to = newline + 1;
    }
    if (from < to) {
      isCut = collectedBytes >= MAX_WHOLE_BYTES;
      if (!isCut) parts.push(Buffer.from(chunk.subarray(from, to)));
      collectedBytes += to - from;
    }
    lastByte = chunk.at(-1) ?? 0;
  }
  const content = Buffer.concat(parts);
  return {
    bytes,
    sha256: hash.digest('hex'),
    content: isCut ? withoutPartialCharacter(content) : content,
    isPartial: true,
    totalLines: lastByte === 10 ? line - 1 : line,
  };
}

async function* chunksOf(handle: FileReader): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(1024 * 1024);
  for (let position = 0; ; ) {
    const bytesRead = await handle.read(buffer, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
