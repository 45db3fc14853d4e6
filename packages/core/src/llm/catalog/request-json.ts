/**
 * Requests a small JSON document with time and size limits. Does not follow redirects, so that a key is sent to one
 * address only. A failure is a value.
 */
import type { IncomingMessage } from 'node:http';

export interface JsonRequest {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON by POST; without a body the request is a GET. */
  readonly body?: unknown;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export type JsonAnswer =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: IncomingMessage['headers'];
      readonly text: string;
    }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'failed'; readonly cause: unknown };

const MAX_BYTES = 16 * 1024 * 1024;

export async function requestJson({
  url,
  headers,
  body,
  timeoutMs,
  signal,
}: JsonRequest): Promise<JsonAnswer> {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const limit = AbortSignal.timeout(timeoutMs);
  const sent = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  return new Promise((resolve) => {
    const fail = (cause: unknown): void =>
      resolve(limit.aborted ? { kind: 'timeout' } : { kind: 'failed', cause });
    const outgoing = request(url, {
      method: sent === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...headers,
        ...(sent === undefined ? {} : { 'content-type': 'application/json', 'content-length': sent.length }),
      },
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      agent: false,
    });
    outgoing.on('error', fail);
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      let received = 0;
      response.on('data', (chunk: Buffer) => {
        received += chunk.length;
        chunks.push(chunk);
        if (received > MAX_BYTES) outgoing.destroy(new Error('the response is too large'));
      });
      response.on('error', fail);
      response.on('end', () =>
        resolve({
          kind: 'answer',
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    outgoing.end(sent);
  });
}
