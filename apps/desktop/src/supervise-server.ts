/**
 * Supervises the server of the window: the one that already holds the store, or else one in this process. It is followed while
 * the program runs; a server that no longer responds is replaced.
 */
import { type ApiClient, ApiError, createApiClient } from '@crewagent/protocol/api/client';
import type { ListMessage } from '@crewagent/protocol/api/work-messages';
import type { RunningServer } from '@crewagent/server';

export interface ServerSupervisorOptions {
  readonly start: () => Promise<RunningServer>;
  readonly onMessage: (message: ListMessage) => void;
  /** A lost server was replaced; address and token have changed. */
  readonly onReplaced: () => void;
  /** The server is lost, and none could be started. */
  readonly onLost: (error: unknown) => void;
  /** For tests. */
  readonly firstWaitMs?: number;
}

export interface ServerSupervisor {
  readonly server: RunningServer;
  readonly client: ApiClient;
  readonly origin: string;
  /** Stops the server if it is ours, with every run resumable; a server of another process keeps running. */
  stop(): Promise<void>;
}

export async function superviseServer(options: ServerSupervisorOptions): Promise<ServerSupervisor> {
  const shutdown = new AbortController();
  let server = await options.start();
  let client = toClient(server);

  const replace = async (): Promise<void> => {
    // A server of this process may only have lost its socket; its lock must be released for the next one.
    await server.stop().catch(() => undefined);
    const next = await startWithRetries(options.start);
    // A new server may have the address and the token of the last one.
    const isOther = next.isOurs || next.url !== server.url || next.token !== server.token;
    server = next;
    client = toClient(next);
    if (isOther) options.onReplaced();
  };
  const follow = async (): Promise<void> => {
    while (!shutdown.signal.aborted) {
      await followOnce(client, options, shutdown.signal);
      if (!shutdown.signal.aborted) await replace();
    }
  };
  void follow().catch((error: unknown) => {
    if (!shutdown.signal.aborted) options.onLost(error);
  });

  return {
    get server() {
      return server;
    },
    get client() {
      return client;
    },
    get origin() {
      return new URL(server.url).origin;
    },
    async stop() {
      shutdown.abort();
      if (server.isOurs) await server.stop();
    },
  };
}

const MAX_ATTEMPTS = 5;

/** Retries, because a server that is shutting down in another process still holds the store and does not respond. */
async function startWithRetries(start: () => Promise<RunningServer>): Promise<RunningServer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

function toClient({ url, token }: RunningServer): ApiClient {
  return createApiClient({ baseUrl: url, token, surface: 'electron' });
}

/** Resolves when the server no longer responds, or the program exits. After a mere disconnect it reconnects. */
async function followOnce(
  client: ApiClient,
  { onMessage, firstWaitMs }: ServerSupervisorOptions,
  signal: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  const checkAlive = async (): Promise<void> => {
    if (!(await isResponding(client))) gone.abort();
  };
  const options = {
    signal: AbortSignal.any([signal, gone.signal]),
    onState: (state: 'open' | 'broken') => {
      if (state === 'broken') void checkAlive();
    },
    firstWaitMs,
  };
  try {
    for await (const message of client.system.events({}, options)) onMessage(message);
  } catch (error) {
    // Rejected: another server listens on this port now.
    if (!(error instanceof ApiError)) throw error;
  }
}

const RESPONSE_TIMEOUT_MS = 3_000;

async function isResponding(client: ApiClient): Promise<boolean> {
  try {
    await client.system.show({}, { signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) });
    return true;
  } catch {
    return false;
  }
}
