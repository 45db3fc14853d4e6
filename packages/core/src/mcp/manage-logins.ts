/**
 * Logins to MCP servers: sign in, delete the tokens, and the logins that this process has started for the page. Loads the client
 * only for a login.
 */
import type { Project } from '@crewagent/protocol/project';
import { CrewError } from '../base/crew-error.ts';
import type { UserStore } from '../store/store.ts';
import type { RegisteredClient, StartedLogin } from './login.ts';
import { openLoginRecord } from './login-record.ts';
import { type ResolvedServer, resolveByName } from './resolve-servers.ts';

export interface ServerLoginOptions {
  /** A client that a person registered with the authorization server. */
  readonly client?: RegisteredClient | undefined;
  /** Of the local redirect; random by default. */
  readonly port?: number | undefined;
  readonly signal: AbortSignal;
}

/** Starts a login in the browser of the person, who has to see the address before it is opened. */
export async function logInToServer(
  store: UserStore,
  id: string,
  { project, ...options }: ServerLoginOptions & { readonly project?: Project | undefined },
): Promise<StartedLogin> {
  return startServerLogin(store, await resolveByName(store, id, project), options);
}

export async function startServerLogin(
  store: UserStore,
  server: ResolvedServer,
  options: ServerLoginOptions,
): Promise<StartedLogin> {
  const { id, target } = server;
  const record = openLoginRecord(store, server);
  if (!record || 'command' in target)
    throw new CrewError(
      'USAGE',
      'command' in target
        ? `The MCP server "${id}" is a program. Only servers over HTTP have a sign-in.`
        : `The MCP server "${id}" uses its stored Authorization header, so it has no sign-in.`,
    );
  const { startLogin } = await import('./login.ts');
  return startLogin({ record, target, ...options });
}

/** Deletes the tokens for a server. Returns false if there are none. */
export async function logOutOfServer(store: UserStore, id: string, project?: Project): Promise<boolean> {
  const record = openLoginRecord(store, await resolveByName(store, id, project));
  if (!record) return false;
  return record.exclusively(async () => {
    const isSignedIn = (await record.read())?.grant !== undefined;
    if (isSignedIn) await record.write({ challenge: {} });
    return isSignedIn;
  });
}

export interface PendingLogin {
  /** The page to sign in, while the person is expected there. */
  readonly url?: string;
  /** Why the last login failed. */
  readonly error?: string;
}

export type PendingLogins = ReturnType<typeof createPendingLogins>;

interface Entry {
  readonly controller: AbortController;
  pending: PendingLogin;
  done: Promise<void>;
}

/** At most one login for each server. Each holds its local redirect until the person has signed in. */
export function createPendingLogins(store: UserStore) {
  const entries = new Map<string, Entry>();
  const drop = async (loginKey: string): Promise<boolean> => {
    const entry = entries.get(loginKey);
    const isInProgress = entry?.pending.url !== undefined;
    entries.delete(loginKey);
    entry?.controller.abort();
    await entry?.done;
    return isInProgress;
  };
  return {
    /** Resolves to the page to sign in. A login to the same server that is in progress is cancelled. */
    async start(id: string, project?: Project): Promise<string> {
      const server = await resolveByName(store, id, project);
      const { loginKey } = server;
      await drop(loginKey);
      const controller = new AbortController();
      const entry: Entry = { controller, pending: {}, done: Promise.resolve() };
      const { url, done } = await startServerLogin(store, server, { signal: controller.signal });
      entry.pending = { url };
      entry.done = done.then(
        () => void (entries.get(loginKey) === entry && entries.delete(loginKey)),
        (error: unknown) => {
          entry.pending = { error: error instanceof CrewError ? error.message : 'It failed unexpectedly.' };
        },
      );
      entries.set(loginKey, entry);
      return url;
    },
    find: (loginKey: string): PendingLogin | undefined => entries.get(loginKey)?.pending,
    /** Returns false if none is in progress. */
    cancel: async (id: string, project?: Project) => drop((await resolveByName(store, id, project)).loginKey),
    async close(): Promise<void> {
      await Promise.all([...entries.keys()].map(drop));
    },
  };
}
