/**
 * The server process: claims the store, listens, publishes its address, and shuts down in order. A second start finds the
 * running server.
 */
import { setTimeout as wait } from 'node:timers/promises';
import {
  CrewError,
  claimServer,
  createRuntime,
  findServer,
  type Runtime,
  readServerToken,
  type SecretStore,
  type ServerClaim,
  secureStoreRoot,
  writeServerToken,
} from '@crewagent/core';
import { createApiClient } from '@crewagent/protocol/api/client';
import { createApp, type Door } from './app.ts';
import { createHttpServer, type HttpServer } from './http-server.ts';
import { createTokenAccess } from './security/access.ts';
import { createOwnHosts, isLoopback, toUrl } from './security/own-hosts.ts';
import { createToken, readTokenFile } from './security/token.ts';
import { createServerParts, type ServerTiming } from './server-parts.ts';
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
  /** Workflows for other agents; called with the first request of one. */
  readonly openDoor?: ((runtime: Runtime) => Promise<Door>) | undefined;
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
  let door: Promise<Door> | undefined;
  const { openDoor } = options;
  const server = createHttpServer(options.graceMs);
  const { url, port, token } = await bindWithToken(server, options);
  const app = createApp({
    parts,
    access: createTokenAccess(token),
    hosts: createOwnHosts(host, port),
    pages: createStaticFiles(options.webRoot),
    bodyTimeMs: options.bodyTimeMs,
    openDoor: openDoor && (() => (door ??= openDoor(runtime))),
  });
  server.answer(app, parts);
  try {
    await claim.publish({ schemaVersion: 1, pid: process.pid, url, token, startedAt: parts.startedAt });
  } catch (error) {
    server.abandon();
    throw error;
  }
  // After the page, which is loaded first.
  setTimeout(() => server.isListening && parts.hosts.warm(), WARM_MS).unref();
  const stop = async (): Promise<void> => {
    await server.stop(async () => {
      await (await door)?.close();
      await parts.close();
      await parts.runtime.close();
    });
    await claim.release();
  };
  return { url, token, isOurs: true, interrupted: interrupted.length, stop };
}

const WARM_MS = 1_000;

/** Idle Works are closed soon; their MCP servers stay up so that they need not restart for the next message. */
const MCP_IDLE_MS = 60_000;

/**
 * The last address of this store with its token, so that open pages stay signed in; else a new token. An open page may have sent
 * the old one to the process that listens at the old address now.
 */
async function bindWithToken(
  server: HttpServer,
  options: ListenOptions,
): Promise<{ readonly url: string; readonly port: number; readonly token: string }> {
  const { storeRoot, host, fixedToken, isNewToken } = options;
  const last = await readServerToken(storeRoot);
  const lastPort = last && Number(new URL(last.url).port);
  const port = await server.bind({ ...options, preferredPort: options.preferredPort ?? lastPort });
  const url = toUrl(host, port);
  if (fixedToken !== undefined) return { url, port, token: fixedToken };
  if (last?.url === url && !isNewToken) return { url, port, token: last.token };
  const token = createToken();
  try {
    await writeServerToken(storeRoot, { url, token });
  } catch (error) {
    server.abandon();
    throw error;
  }
  return { url, port, token };
}

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
