/**
 * The server behind the window: the one that holds the store already, else one in this process. It is followed for as long as
 * the program runs; one that does not answer any more is replaced.
 */
import { type ApiClient, ApiError, createApiClient } from '@crewagent/protocol/api/client';
import type { ListMessage } from '@crewagent/protocol/api/work-messages';
import type { RunningServer } from '@crewagent/server';

export interface ServerKeeperOptions {
  readonly start: () => Promise<RunningServer>;
  readonly onMessage: (message: ListMessage) => void;
  /** Another server took the place of one that was lost; address and token are others. */
  readonly onReplaced: () => void;
  /** There is none, and none could be started. */
  readonly onLost: (error: unknown) => void;
  /** For tests. */
  readonly firstWaitMs?: number;
}

export interface ServerKeeper {
  readonly server: RunningServer;
  readonly client: ApiClient;
  readonly origin: string;
  /** Ends the server if it is ours, with every run resumable; one of another process stays. */
  stop(): Promise<void>;
}

export async function keepServer(options: ServerKeeperOptions): Promise<ServerKeeper> {
  const ending = new AbortController();
  let server = await options.start();
  let client = toClient(server);

  const replace = async (): Promise<void> => {
    // A server of this process may have lost its socket only; its lock must be free for the next one.
    await server.stop().catch(() => undefined);
    const next = await startAgain(options.start);
    const isOther = next.url !== server.url || next.token !== server.token;
    server = next;
    client = toClient(next);
    if (isOther) options.onReplaced();
  };
  const follow = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await followOnce(client, { ...options, signal: ending.signal });
      if (!ending.signal.aborted) await replace();
    }
  };
  void follow().catch((error: unknown) => {
    if (!ending.signal.aborted) options.onLost(error);
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
      ending.abort();
      if (server.isOurs) await server.stop();
    },
  };
}

const TRIES = 5;

/** A server of another process that is about to end still holds the store, and answers nobody. */
async function startAgain(start: () => Promise<RunningServer>): Promise<RunningServer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start();
    } catch (error) {
      if (tries === TRIES) throw error;
    }
  }
}

function toClient({ url, token }: RunningServer): ApiClient {
  return createApiClient({ baseUrl: url, token, surface: 'electron' });
}

type FollowOptions = Pick<ServerKeeperOptions, 'onMessage' | 'firstWaitMs'> & {
  readonly signal: AbortSignal;
};

/** Resolves when the server does not answer any more, or the program ends. A broken connection alone is opened again. */
async function followOnce(
  client: ApiClient,
  { onMessage, signal, firstWaitMs }: FollowOptions,
): Promise<void> {
  const gone = new AbortController();
  const checkAlive = async (): Promise<void> => {
    if (!(await isAnswering(client))) gone.abort();
  };
  const options = {
    signal: AbortSignal.any([signal, gone.signal]),
    onState: (state: 'open' | 'broken') => {
      if (state === 'broken') void checkAlive();
    },
    ...(firstWaitMs === undefined ? {} : { firstWaitMs }),
  };
  try {
    for await (const message of client.system.events({}, options)) onMessage(message);
  } catch (error) {
    // Refused: another server listens there now.
    if (!(error instanceof ApiError)) throw error;
  }
}

const ANSWER_MS = 3_000;

async function isAnswering(client: ApiClient): Promise<boolean> {
  try {
    await client.system.show({}, { signal: AbortSignal.timeout(ANSWER_MS) });
    return true;
  } catch {
    return false;
  }
}
