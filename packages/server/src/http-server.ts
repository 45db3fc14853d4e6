/** The HTTP server of Node: binds a port, connects the app, and shuts down in order. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { CrewError, errnoOf } from '@crewagent/core';
import type { Hono } from 'hono';
import type { ErrorOptions } from './error-response.ts';
import type { ServerEnv } from './mount.ts';
import { createRequestListener } from './request-listener.ts';

const SERVER_OPTIONS = {
  // Longer than a process is suspended now and then: what it was sent meanwhile is answered.
  headersTimeout: 30_000,
  // Bodies have time limits of their own; this is above the largest of them.
  requestTimeout: 11 * 60_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 5_000,
} as const;

export interface BindOptions {
  readonly host: string;
  /** 0 for any. */
  readonly port: number;
  /** Used if it is free and no other is required. */
  readonly preferredPort?: number | undefined;
}

export type HttpServer = ReturnType<typeof createHttpServer>;

/** `graceMs`: how long requests may take to end when the server stops. */
export function createHttpServer(graceMs = 2_000) {
  const server = createServer(SERVER_OPTIONS);
  const unused = trackUnused(server);
  let listener: RequestListener | undefined;
  /** Open pages reconnect as soon as the port is bound, before there is an app. */
  const early: Parameters<RequestListener>[] = [];
  server.on('request', (...request) => {
    if (listener) listener(...request);
    else early.push(request);
  });
  const shutDown = async (close: () => Promise<void>): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    try {
      await close();
    } finally {
      server.closeIdleConnections();
      for (const socket of unused) socket.destroy();
      const inTime = await Promise.race([closed.then(() => true), wait(graceMs, false, { ref: false })]);
      if (!inTime) server.closeAllConnections();
      await closed;
    }
  };
  let stopping: Promise<void> | undefined;
  return {
    get isListening(): boolean {
      return server.listening;
    },
    /** Resolves to the port. */
    bind: (options: BindOptions): Promise<number> => bind(server, options),
    /** Also answers what was sent since the port was bound. */
    answer(app: Hono<ServerEnv>, errors: ErrorOptions): void {
      listener = createRequestListener(app, errors, () => !server.listening);
      for (const request of early.splice(0)) listener(...request);
    },
    /** Closes a server that has answered nobody. */
    abandon(): void {
      server.close();
      server.closeAllConnections();
    },
    /** Takes no more requests, calls `close`, and ends the connections. Later calls wait for the first. */
    stop(close: () => Promise<void>): Promise<void> {
      stopping ??= shutDown(close);
      return stopping;
    },
  };
}

async function bind(server: Server, options: BindOptions): Promise<number> {
  const { host, port, preferredPort } = options;
  if (port === 0 && preferredPort !== undefined) {
    try {
      return await listenOn(server, preferredPort, host);
    } catch (error) {
      if (!['EADDRINUSE', 'EACCES'].includes(errnoOf(error) ?? '')) throw error;
    }
  }
  try {
    return await listenOn(server, port, host);
  } catch (error) {
    const sentence = BIND_ERRORS[errnoOf(error) ?? ''];
    if (!sentence) throw error;
    throw new CrewError('PORT_TAKEN', sentence(host, port), { cause: error });
  }
}

async function listenOn(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const BIND_ERRORS: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (_, port) => `Port ${port} is in use. Choose another one with --port, or omit --port.`,
  EACCES: (_, port) => `No permission to use port ${port}. Choose a port above 1023.`,
  EADDRNOTAVAIL: (host) => `${host} is not an address of this machine. Choose another one with --host.`,
  ENOTFOUND: (host) => `${host} is not an address of this machine. Choose another one with --host.`,
};

/** Connections that no request has used yet: browsers open some in advance, and Node does not count them as idle. */
function trackUnused(server: Server): ReadonlySet<Socket> {
  const unused = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }) => unused.delete(socket));
  return unused;
}
