/**
 * One request for an `http://` address, sent on over its own connection and written anew: its headers are those of the client
 * without those of the connection and the proxy, and its `Host` is the host that was checked.
 */
import { type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describeTarget, type Target } from './host-list.ts';

export interface ForwardedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: Target;
  /** With the query; may be empty. */
  readonly path: string;
  /** Connected to the target. */
  readonly socket: Socket;
}

export function forwardRequest({ request, response, target, path, socket }: ForwardedRequest): void {
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  const outgoing = openRequest({
    createConnection: () => socket,
    method: request.method,
    path: path.startsWith('/') ? path : `/${path}`,
    headers: [
      ...['host', target.port === 80 ? target.name : `${target.name}:${target.port}`],
      ...endToEndHeaders(request, ['host']),
      ...(isChunked ? ['transfer-encoding', 'chunked'] : []),
      ...['connection', 'close'],
    ],
    setHost: false,
  });
  const fail = (): void => {
    if (response.headersSent) response.destroy();
    else
      response
        .writeHead(502, { connection: 'close' })
        .end(`${describeTarget(target)} sent no valid answer.\n`);
  };
  outgoing.on('response', (incoming) => {
    try {
      // Without its status message: one that cannot be written would stay with the response.
      response.writeHead(incoming.statusCode ?? 0, endToEndHeaders(incoming));
    } catch {
      // Node reads some answers that it does not write, such as the status 000.
      outgoing.destroy();
      return fail();
    }
    incoming.on('error', () => response.destroy()).pipe(response);
  });
  outgoing.on('error', fail);
  // A server that changes the protocol: there is no error.
  outgoing.on('close', () => {
    if (!response.headersSent) fail();
  });
  // A client that is gone, or a body that is cut, ends the request.
  response.on('close', () => outgoing.destroy());
  request.on('error', () => outgoing.destroy()).pipe(outgoing);
}

const OF_THE_CONNECTION = new Set(
  `connection expect keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade`.split(
    ' ',
  ),
);

/** In the form of `rawHeaders`: names and values in turn, repeated names included. */
function endToEndHeaders(
  { rawHeaders, headers }: IncomingMessage,
  without: readonly string[] = [],
): string[] {
  const named = (headers.connection ?? '').toLowerCase().split(/\s*,\s*/);
  const left = new Set([...OF_THE_CONNECTION, ...named, ...without]);
  return rawHeaders.filter((_, index) => !left.has((rawHeaders[index - (index % 2)] ?? '').toLowerCase()));
}
