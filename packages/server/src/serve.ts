/**
 * The server process: claims the store, listens, publishes its address, and shuts down in order. A second start finds the
 * running server.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import {
  CrewError,
  claimServer,
  createRuntime,
  errnoOf,
  findServer,
  readServerToken,
  type SecretStore,
  type ServerClaim,
  secureStoreRoot,
  writeServerToken,
} from '@crewagent/core';
import { createApiClient } from '@crewagent/protocol/api/client';
import { createApp } from './app.ts';
import { createRequestListener } from './request-listener.ts';
import { createTokenAccess } from './security/access.ts';
import { createOwnHosts, isLoopback, toUrl } from './security/own-hosts.ts';
import { createToken, readTokenFile } from './security/token.ts';
import { createServerParts, type ServerParts, type ServerTiming } from './server-parts.ts';
import { createStaticFiles } from './static-files.ts';

export interface ServeOptions {
  readonly storeRoot: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default: the port of the last server of this store if it is free, else any free port. */
  readonly port?: number | undefined;
  /** Used if it is free, else any free port: browsers store a page's data per port. */
  readonly preferredPort?: number | undefined;
  readonly tokenFile?: string | undefined;
  /** Signs out every page that was opened before. */
  readonly isNewToken?: boolean | undefined;
  /** Folder of the built web UI. */
  readonly webRoot?: string | undefined;
  /** Folder with example packages. */
  readonly examplesRoot?: string | undefined;
  /** The built code of a thread for Works; without it they run in the thread of the server. */
  readonly threadFile?: string | undefined;
  /** Store for API keys; default: `secrets.json` in the store. */
  readonly secrets?: SecretStore | undefined;
  readonly bodyTimeMs?: number;
  /** How long requests may take to end when the server stops. */
  readonly graceMs?: number | undefined;
  readonly timing?: Partial<ServerTiming> | undefined;
  readonly onBug?: (id: string, error: unknown) => void;
  readonly onWarning?: (message: string) => void;
}

export interface RunningServer {
  readonly url: string;
  readonly token: string;
  /** Whether this call started the server. */
  readonly isOurs: boolean;
  /** Number of runs that a previous server left unfinished when it died. */
  readonly interrupted: number;
  /** Stops all runs, resumable, and releases the store. */
  stop(): Promise<void>;
}

export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const { host = '127.0.0.1', port = 0, tokenFile } = options;
  if (!isLoopback(host) && tokenFile === undefined)
    throw new CrewError('USAGE', `Listening on ${host} needs a fixed token. Set one with --token-file.`);
  if (options.isNewToken && tokenFile !== undefined)
    throw new CrewError('USAGE', 'The token is in the token file; delete that file to get a new one.');
  secureStoreRoot(options.storeRoot);
  const claim = await claimServer(options.storeRoot);
  if (!claim && options.isNewToken)
    throw new CrewError(
      'RUN_LOCKED',
      'CrewAgent is running with its current token; stop it, then start it with --new-token.',
    );
  if (!claim) return findRunning(options.storeRoot);
  try {
    const fixedToken = tokenFile === undefined ? undefined : await readTokenFile(tokenFile);
    return await listen(claim, { ...options, host, port, fixedToken });
  } catch (error) {
    await claim.release();
    throw error;
  }
}

interface ListenOptions extends ServeOptions {
  readonly host: string;
  readonly port: number;
  /** From a token file. */
  readonly fixedToken: string | undefined;
}

async function listen(claim: ServerClaim, options: ListenOptions): Promise<RunningServer> {
  const { storeRoot, env, host, onBug = () => undefined, onWarning = () => undefined } = options;
  const runtime = createRuntime({
    storeRoot,
    env,
    secrets: options.secrets,
    onBug,
    onWarning,
    mcpIdleMs: MCP_IDLE_MS,
  });
  const interrupted = await runtime.sweepInterrupted();
  const parts = createServerParts({
    runtime,
    env,
    examplesRoot: options.examplesRoot,
    // Keys that only this thread can read stay in it.
    threadFile: options.secrets ? undefined : options.threadFile,
    timing: options.timing,
    onBug,
    onWarning,
  });
  const server = createServer(SERVER_OPTIONS);
  const shutDown = createShutdown(server, options.graceMs);
  const { url, port, token } = await bindWithToken(server, options);
  const app = createApp({
    parts,
    access: createTokenAccess(token),
    hosts: createOwnHosts(host, port),
    pages: createStaticFiles(options.webRoot),
    bodyTimeMs: options.bodyTimeMs,
  });
  server.on(
    'request',
    createRequestListener(app, parts, () => !server.listening),
  );
  try {
    await claim.publish({ schemaVersion: 1, pid: process.pid, url, token, startedAt: parts.startedAt });
  } catch (error) {
    server.close();
    throw error;
  }
  // After the page, which is loaded first.
  setTimeout(() => server.listening && parts.hosts.warm(), WARM_MS).unref();
  const stop = (): Promise<void> => shutDown(parts, claim);
  return { url, token, isOurs: true, interrupted: interrupted.length, stop };
}

const WARM_MS = 1_000;

/** Idle Works are closed soon; their MCP servers stay up so that they need not restart for the next message. */
const MCP_IDLE_MS = 60_000;

const SERVER_OPTIONS = {
  // Longer than a process is suspended now and then: what it was sent meanwhile is answered.
  headersTimeout: 30_000,
  // Bodies have time limits of their own; this is above the largest of them.
  requestTimeout: 11 * 60_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 5_000,
} as const;

/**
 * The last address of this store with its token, so that open pages stay signed in; else a new token. An open page may have sent
 * the old one to the process that listens at the old address now.
 */
async function bindWithToken(
  server: Server,
  options: ListenOptions,
): Promise<{ readonly url: string; readonly port: number; readonly token: string }> {
  const { storeRoot, host, fixedToken, isNewToken } = options;
  const last = await readServerToken(storeRoot);
  const lastPort = last && Number(new URL(last.url).port);
  const port = await bind(server, { ...options, preferredPort: options.preferredPort ?? lastPort });
  const url = toUrl(host, port);
  if (fixedToken !== undefined) return { url, port, token: fixedToken };
  if (last?.url === url && !isNewToken) return { url, port, token: last.token };
  const token = createToken();
  try {
    await writeServerToken(storeRoot, { url, token });
  } catch (error) {
    server.close();
    throw error;
  }
  return { url, port, token };
}

async function bind(server: Server, options: ListenOptions): Promise<number> {
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

const FIND_TIMEOUT_MS = 5_000;
const FIND_EVERY_MS = 50;

/** Finds the server that holds the store; it may not have published its address yet. */
async function findRunning(storeRoot: string): Promise<RunningServer> {
  const end = performance.now() + FIND_TIMEOUT_MS;
  do {
    const record = await findServer(storeRoot);
    if (record && (await isAnswering(record))) {
      const { url, token } = record;
      return { url, token, isOurs: false, interrupted: 0, stop: () => Promise.resolve() };
    }
    await wait(FIND_EVERY_MS);
  } while (performance.now() < end);
  throw new CrewError(
    'RUN_LOCKED',
    'Another server holds this store but does not respond. Stop that process and start again.',
  );
}

async function isAnswering({ url: baseUrl, token }: { url: string; token: string }): Promise<boolean> {
  try {
    const { name } = await createApiClient({ baseUrl, token }).system.show(
      {},
      { signal: AbortSignal.timeout(2_000) },
    );
    return name === 'crewagent';
  } catch {
    return false;
  }
}

/**
 * Shuts the server down in order: stops the Works, ends the streams, closes the connections, and releases the store. Call it
 * before the server listens; later calls of the result wait for the first.
 */
function createShutdown(
  server: Server,
  graceMs = 2_000,
): (parts: ServerParts, claim: ServerClaim) => Promise<void> {
  const unused = trackUnused(server);
  const shutDown = async (parts: ServerParts, claim: ServerClaim): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    try {
      await parts.close();
      await parts.runtime.close();
    } finally {
      server.closeIdleConnections();
      for (const socket of unused) socket.destroy();
      const inTime = await Promise.race([closed.then(() => true), wait(graceMs, false, { ref: false })]);
      if (!inTime) server.closeAllConnections();
      await closed;
      await claim.release();
    }
  };
  let stopping: Promise<void> | undefined;
  return (parts, claim) => {
    stopping ??= shutDown(parts, claim);
    return stopping;
  };
}

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
