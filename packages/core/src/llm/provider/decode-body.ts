/**
 * Decompresses a response body. We request no compression, because it delays streams; some proxies compress anyway.
 */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

/** Returns the response itself if it is not compressed, or in an unknown encoding. */
export async function decodedBody(response: IncomingMessage): Promise<Readable> {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase();
  if (encoding === undefined || !/^(?:x-)?gzip$|^deflate$|^br$/.test(encoding)) return response;
  const { constants, createBrotliDecompress, createUnzip } = await import('node:zlib');
  // Flush every chunk: a stream is read while it arrives.
  const decoder =
    encoding === 'br'
      ? createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH })
      : createUnzip({ flush: constants.Z_SYNC_FLUSH });
  return response.pipe(decoder);
}
