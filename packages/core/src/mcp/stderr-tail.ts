/**
 * The last lines a server wrote to stderr, shown to a person when the server fails. Earlier output is dropped.
 */
import type { Readable } from 'node:stream';

const MAX_BYTES = 8_192;

export function collectStderr(stream: Readable): () => string {
  let tail = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    const last = chunk.length > MAX_BYTES ? chunk.subarray(-MAX_BYTES) : chunk;
    tail = Buffer.concat([tail, last]).subarray(-MAX_BYTES);
  });
  stream.on('error', () => undefined);
  return () => tail.toString('utf8').trim();
}
