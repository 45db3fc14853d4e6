/**
 * The server as a process has it: claims the store, listens, says where it is, and ends in order. A second start finds the
 * one that runs.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import {
  CrewError,
  claimServer,
  createRuntime,
  createStoreLayout,
  findServer,
  type SecretStore,
  type ServerClaim,
  type StorePaths,
  secureStoreRoot,
} from '@crewagent/core';
import { createApiClient } from '@crewagent/protocol/api/client';
import { createApp } from './app.ts';
import { createOwnHosts, isLoopback, toUrl } from './own-hosts.ts';
import { createRequestListener } from './request-listener.ts';
import { createServerParts, type ServerParts, type ServerTiming } from './server-parts.ts';
import { createStaticFiles } from './static-files.ts';
import { createToken } from './token.ts';
import { readTokenFile } from './token-file.ts';

export interface ServeOptions {
  readonly storeRoot: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** 127.0.0.1 if left out. */
  readonly host?: string | undefined;
  /** A free one if left out. */
  readonly port?: number | undefined;
  /** Used instead of any free one, unless it is in use: browsers keep what a page stores for each port. */
  readonly preferredPort?: number | undefined;
  readonly tokenFile?: string | undefined;
  /** A built web UI. */
  readonly webRoot?: string | undefined;
  /** A folder with packages to try out. */
  readonly examplesRoot?: string | undefined;
  /** Where API keys are; `secrets.json` of the store if left out. */
  readonly secrets?: SecretStore | undefined;
  readonly bodyTimeMs?: number;
  readonly timing?: Partial<ServerTiming> | undefined;
  readonly onBug?: (id: string, error: unknown) => void;
  readonly onWarning?: (message: string) => void;
}

export interface RunningServer {
  readonly url: string;
  readonly token: string;
  /** Whether it was this call that started it. */
  readonly isOurs: boolean;
  /** Runs that were left in the middle when the server before this one died. */
  readonly interrupted: number;
  /** Stops all runs, resumable, and lets go of the store. */
  stop(): Promise<void>;
}

export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const { host = '127.0.0.1', port = 0, tokenFile } = options;
  if (!isLoopback(host) && tokenFile === undefined)
    throw new CrewError(
      'USAGE',
      `Serving ${host} to others needs a token that they know: give --token-file.`,
    );
  secureStoreRoot(options.storeRoot);
  const store = createStoreLayout(options.storeRoot);
  const claim = await claimServer(store);
  if (!claim) return findRunning(store);
  try {
    const token = tokenFile === undefined ? createToken() : await readTokenFile(tokenFile);
    return await listen(claim, { ...options, host, port, token });
  } catch (error) {
    await claim.release();
    throw error;
  }
}

type ListenOptions = ServeOptions & { readonly host: string; readonly port: number; readonly token: string };

async function listen(claim: ServerClaim, options: ListenOptions): Promise<RunningServer> {
  const { storeRoot, env, host, token, onBug = () => undefined, onWarning = () => undefined } = options;
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
    timing: options.timing,
    onBug,
  });
  const server = createServer(SERVER_OPTIONS);
  const port = await bind(server, options);
  const app = createApp({
    parts,
    token,
    hosts: createOwnHosts(host, port),
    pages: createStaticFiles(options.webRoot),
    ...(options.bodyTimeMs === undefined ? {} : { bodyTimeMs: options.bodyTimeMs }),
  });
  server.on(
    'request',
    createRequestListener(app, parts, () => !server.listening),
  );
  const url = toUrl(host, port);
  try {
    await claim.publish({ schemaVersion: 1, pid: process.pid, url, token, startedAt: parts.startedAt });
  } catch (error) {
    server.close();
    throw error;
  }
  return { url, token, isOurs: true, interrupted: interrupted.length, stop: stopOnce(server, parts, claim) };
}

/** Works are closed soon after they rest; their MCP servers need not start again for the next message. */
const MCP_IDLE_MS = 60_000;

const SERVER_OPTIONS = {
  headersTimeout: 10_000,
  // Bodies have limits of their own; this one is for the largest of them.
  requestTimeout: 11 * 60_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 5_000,
} as const;

async function bind(server: Server, options: ListenOptions): Promise<number> {
  const { host, port, preferredPort } = options;
  if (port === 0 && preferredPort !== undefined) {
    try {
      return await listenOn(server, preferredPort, host);
    } catch (error) {
      if (!['EADDRINUSE', 'EACCES'].includes(codeOf(error))) throw error;
    }
  }
  try {
    return await listenOn(server, port, host);
  } catch (error) {
    const sentence = BIND_ERRORS[codeOf(error)];
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
  EADDRINUSE: (_, port) => `Port ${port} is in use; choose another one with --port, or leave it out.`,
  EACCES: (_, port) => `Port ${port} may not be used here; choose one above 1023.`,
  EADDRNOTAVAIL: (host) => `${host} is not an address of this machine; choose another one with --host.`,
  ENOTFOUND: (host) => `${host} is not an address of this machine; choose another one with --host.`,
};

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

const GRACE_MS = 2_000;

function stopOnce(server: Server, parts: ServerParts, claim: ServerClaim): () => Promise<void> {
  const stop = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    try {
      await parts.close();
      await parts.runtime.close();
    } finally {
      server.closeIdleConnections();
      const inTime = await Promise.race([closed.then(() => true), wait(GRACE_MS, false, { ref: false })]);
      if (!inTime) server.closeAllConnections();
      await closed;
      await claim.release();
    }
  };
  let stopping: Promise<void> | undefined;
  return () => {
    stopping ??= stop();
    return stopping;
  };
}

const PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 50;

/** The server that holds the store; it may be about to say where it is. */
async function findRunning(store: StorePaths): Promise<RunningServer> {
  const end = performance.now() + PATIENCE_MS;
  do {
    const record = await findServer(store);
    if (record && (await isAnswering(record))) {
      const { url, token } = record;
      return { url, token, isOurs: false, interrupted: 0, stop: () => Promise.resolve() };
    }
    await wait(LOOK_EVERY_MS);
  } while (performance.now() < end);
  throw new CrewError(
    'RUN_LOCKED',
    'Another process serves this store and does not answer; end it, then start again.',
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
