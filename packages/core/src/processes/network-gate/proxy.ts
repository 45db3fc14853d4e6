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
import { createDialer, type DialerOptions, Refusal } from './dialer.ts';
import { forwardRequest } from './forward-request.ts';
import { describeTarget, parseTarget, type Target } from './host-list.ts';

export interface ProxyOptions extends DialerOptions {
  readonly limits?: Partial<ProxyLimits>;
}

export interface ProxyLimits {
  readonly connections: number;
  readonly headerBytes: number;
  /** For the headers of a request. */
  readonly headerMs: number;
  /** Without data in either direction. */
  readonly idleMs: number;
}

export interface Proxy {
  refused(): readonly string[];
  close(): Promise<void>;
}

const LIMITS: ProxyLimits = { connections: 256, headerBytes: 16_384, headerMs: 15_000, idleMs: 300_000 };

/** As many as a person can read. */
const MAX_REFUSED = 20;
/** A name or an address; other texts of the client are not repeated. */
const SHOWN = /^[\w.:[\]%-]{1,253}$/;

export async function openProxy(socketPath: string, options: ProxyOptions): Promise<Proxy> {
  const { connections, headerBytes, headerMs, idleMs } = { ...LIMITS, ...options.limits };
  const { dial } = createDialer(options);
  const sockets = new Set<Duplex>();
  const refused = new Set<string>();
  const track = <T extends Duplex & { setTimeout(ms: number, end: () => void): unknown }>(socket: T): T => {
    sockets.add(socket);
    socket.setTimeout(idleMs, () => void socket.destroy());
    // Also a socket that fails ends by 'close'.
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    return socket;
  };
  let isClosed = false;
  let upstreams = 0;
  /** One client can have many requests under way, so that connections to servers are counted by themselves. */
  const dialCounted = async (target: Target): Promise<Socket> => {
    if (upstreams >= connections) throw new Refusal(503, 'There are too many connections. Try again later.');
    upstreams++;
    try {
      const socket = track(await dial(target));
      socket.once('close', () => upstreams--);
      if (isClosed) socket.destroy();
      return socket;
    } catch (error) {
      upstreams--;
      throw error;
    }
  };
  const connect = async (authority: string, defaultPort?: number): Promise<[Target, Socket]> => {
    const target = parseTarget(authority, defaultPort);
    try {
      if (!target) throw new Refusal(403, 'Only names of hosts can be reached, and no addresses.');
      return [target, await dialCounted(target)];
    } catch (error) {
      const shown = target ? describeTarget(target) : authority;
      if (error instanceof Refusal && error.status === 403 && refused.size < MAX_REFUSED && SHOWN.test(shown))
        refused.add(shown);
      throw error;
    }
  };

  const server = createServer(
    {
      maxHeaderSize: headerBytes,
      headersTimeout: headerMs,
      connectionsCheckingInterval: 1_000,
      requestTimeout: 0,
    },
    (request, response) => void answer(request, response).catch((error: unknown) => reject(response, error)),
  );
  server.maxConnections = connections;
  server.timeout = idleMs;
  server.on('connection', track);
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    void tunnel(request, client, head).catch((error: unknown) => rejectTunnel(client, error));
  });

  const tunnel = async (request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> => {
    // A line without a version is a request of HTTP 0.9.
    const [, upstream] = await connect(request.httpVersionMajor === 1 ? (request.url ?? '') : '');
    if (client.destroyed) return void upstream.destroy();
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    upstream.write(head);
    join(client, upstream);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, authority, path = ''] = /^http:\/\/([^/?#]*)([^#]*)$/i.exec(request.url ?? '') ?? [];
    if (authority === undefined)
      throw new Refusal(400, 'This is a proxy: it takes CONNECT, and requests for http:// addresses.');
    const [target, socket] = await connect(authority, 80);
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
    refused: () => [...refused],
    async close() {
      isClosed = true;
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
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
      server.off('error', rejectListen);
      resolve();
    });
  });
}
