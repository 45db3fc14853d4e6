/**
 * An HTTP proxy on a local socket for processes that are not trusted: CONNECT, and requests for `http://` addresses. Each request
 * is checked by itself. Everything is bounded: connections, headers, time without data.
 */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionLimits, createConnections } from './connections.ts';
import { type DialerOptions, Refusal } from './dialer.ts';
import { forwardRequest } from './forward-request.ts';

export interface ProxyOptions extends DialerOptions {
  readonly limits?: Partial<ProxyLimits>;
}

export interface ProxyLimits extends ConnectionLimits {
  readonly headerBytes: number;
  /** For the headers of a request. */
  readonly headerMs: number;
}

export interface Proxy {
  refused(): readonly string[];
  close(): Promise<void>;
}

const LIMITS: ProxyLimits = { connections: 256, headerBytes: 16_384, headerMs: 15_000, idleMs: 300_000 };

export async function openProxy(socketPath: string, options: ProxyOptions): Promise<Proxy> {
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
    async close() {
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
