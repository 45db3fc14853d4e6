/**
 * Fetch for HTTP servers: follows no redirects, because headers may contain a token, and limits the size of a response.
 */
import type { FetchLike } from '@modelcontextprotocol/client';

const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

export function createLimitedFetch(maxBytes = MAX_RESPONSE_BYTES): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, { ...init, redirect: 'error' });
    if (!response.body) return response;
    let bytes = 0;
    const limited = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.byteLength;
          if (bytes > maxBytes) controller.error(new Error(`The server sent more than ${maxBytes} bytes.`));
          else controller.enqueue(chunk);
        },
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(limited, { status, statusText, headers });
  };
}
