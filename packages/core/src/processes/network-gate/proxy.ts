/**
 * An HTTP proxy on a local socket for processes that are not trusted: CONNECT, and requests for `http://` addresses. Each request
 * is checked by itself. Everything is bounded: connections, headers, time without data.
 */
import {
  createServer,
  type IncomingMessage,
  request as openRequest,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type ConnectionLimits,
  createConnections,
  type DialerOptions,
  describeTarget,
  Refusal,
  type Target,
} from './connections.ts';

export interface ProxyOptions extends DialerOptions {
  readonly limits?: Partial<ProxyLimits>;
}

interface ProxyLimits extends ConnectionLimits {
  readonly headerBytes: number;
  /** For the headers of a request. */
  readonly headerMs: number;
}

const LIMITS: ProxyLimits = { connections: 256, headerBytes: 16_384, headerMs: 15_000, idleMs: 300_000 };

export async function openProxy(socketPath: string, options: ProxyOptions) {
  const limits = { ...LIMITS, ...options.limits };
  const { add, connect, refused, close } = createConnections(options, limits);

  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headerMs,
      connectionsCheckingInterval: 1_000,
      requestTimeout: 0,
    },
    (request, response) => void answer(request, response).catch((error: unknown) => reject(response, error)),
  );
  server.maxConnections = limits.connections;
  server.timeout = limits.idleMs;
  server.on('connection', add);
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    void tunnel(request, client, head).catch((error: unknown) => rejectTunnel(client, error));
  });

  const tunnel = async (request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> => {
    // A line without a version is a request of HTTP 0.9.
    const { socket: upstream } = await connect(request.httpVersionMajor === 1 ? (request.url ?? '') : '');
    if (client.destroyed) return void upstream.destroy();
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    upstream.write(head);
    join(client, upstream);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, authority, path = ''] = /^http:\/\/([^/?#]*)([^#]*)$/i.exec(request.url ?? '') ?? [];
    if (authority === undefined)
      throw new Refusal(400, 'This is a proxy: it takes CONNECT, and requests for http:// addresses.');
    const { target, socket } = await connect(authority, 80);
    try {
      if (response.destroyed) socket.destroy();
      else forwardRequest({ request, response, target, path, socket });
    } catch (error) {
      // Node accepts some characters in requests that it does not send.
      socket.destroy();
      throw error;
    }
  };

  await listen(server, socketPath);
  return {
    refused,
    async close(): Promise<void> {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      close();
      await closed;
    },
  };
}

/** Either end closes the other; data that was sent before an end still arrives. */
function join(client: Duplex, upstream: Socket): void {
  client.on('close', () => upstream.destroy());
  upstream.on('close', () => client.destroy());
  client.pipe(upstream);
  upstream.pipe(client);
}

function reject(response: ServerResponse, error: unknown): void {
  const { status, message } = toRefusal(error);
  if (response.headersSent) return void response.destroy();
  response
    .writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    .end(`${message}\n`);
}

function rejectTunnel(client: Duplex, error: unknown): void {
  const { status, message } = toRefusal(error);
  const body = Buffer.from(`${message}\n`);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'content-type: text/plain; charset=utf-8',
    `content-length: ${body.length}`,
    'connection: close',
  ];
  client.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]));
}

/** Anything else is a bug of ours, which must not end the process that all runs share. */
function toRefusal(error: unknown): Refusal {
  return error instanceof Refusal ? error : new Refusal(502, 'The connection failed.');
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, rejectListen) => {
    server.once('error', rejectListen).listen(path, () => {
      // Later, a connection that cannot be accepted is one less.
      server.off('error', rejectListen).on('error', () => undefined);
      resolve();
    });
  });
}

interface ForwardedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: Target;
  /** With the query; may be empty. */
  readonly path: string;
  /** Connected to the target. */
  readonly socket: Socket;
}

/**
 * Sends one request for an `http://` address on over its own connection, written anew: its headers are those of the client without
 * those of the connection and the proxy, and its `Host` is the host that was checked.
 */
function forwardRequest({ request, response, target, path, socket }: ForwardedRequest): void {
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
