/**
 * The body of an answer without its compression. We ask for none, because it delays a stream; some proxies compress all
 * the same.
 */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

/** The answer itself when it is plain, or encoded in a way that we cannot read. */
export async function decodedBody(response: IncomingMessage): Promise<Readable> {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase();
  if (encoding === undefined || !/^(?:x-)?gzip$|^deflate$|^br$/.test(encoding)) return response;
  const { constants, createBrotliDecompress, createUnzip } = await import('node:zlib');
  // What has come is given out at once: a stream is read while it arrives.
  const decoder =
    encoding === 'br'
      ? createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH })
      : createUnzip({ flush: constants.Z_SYNC_FLUSH });
  return response.pipe(decoder);
}
