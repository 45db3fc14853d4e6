/** How contents are compressed: with a fast level, and only if that saves a tenth. */
import { promisify } from 'node:util';
import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  brotliDecompress,
  brotliDecompressSync,
  constants,
} from 'node:zlib';

export type Encoding = 'plain' | 'brotli';

const compressInThread = promisify<Uint8Array, BrotliOptions, Buffer>(brotliCompress);
const decompressInThread = promisify<Uint8Array, BrotliOptions, Buffer>(brotliDecompress);

/** A smaller content is not worth it. */
const MIN_BYTES = 1024;
/** A thread would start later than such a content is done. */
const SMALL_BYTES = 64 * 1024;
/** Of a larger content the beginning is tried: most large files are compressed already. */
const PROBE_BYTES = 64 * 1024;

/** Undefined if it does not pay. */
async function compress(content: Uint8Array): Promise<Buffer | undefined> {
  if (content.length < MIN_BYTES) return undefined;
  const probe = brotliCompressSync(content.subarray(0, PROBE_BYTES), settingsFor(content.length));
  if (probe.length > Math.min(content.length, PROBE_BYTES) * 0.9) return undefined;
  return content.length <= PROBE_BYTES ? probe : compressInThread(content, settingsFor(content.length));
}

export async function encode(content: Uint8Array): Promise<{ encoding: Encoding; bytes: Uint8Array }> {
  const bytes = await compress(content);
  return bytes ? { encoding: 'brotli', bytes } : { encoding: 'plain', bytes: content };
}

/** With an encoding that was chosen before, for the first chunk. */
export async function encodeAs(encoding: Encoding, content: Uint8Array): Promise<Uint8Array> {
  return encoding === 'plain' ? content : compressInThread(content, settingsFor(content.length));
}

/** Never returns more than `maxBytes`. */
export async function decode(encoding: string, bytes: Buffer, maxBytes: number): Promise<Buffer> {
  if (encoding === 'plain') return bytes;
  if (encoding !== 'brotli') throw new Error(`unknown encoding ${encoding}`);
  const options = { maxOutputLength: Math.max(maxBytes, 1) };
  return bytes.length <= SMALL_BYTES
    ? brotliDecompressSync(bytes, options)
    : decompressInThread(bytes, options);
}

function settingsFor(bytes: number): BrotliOptions {
  return { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_SIZE_HINT]: bytes } };
}
