/**
 * Logins to MCP servers that this process has started for the page: at most one for each server. Each holds its local redirect
 * until the person has signed in.
 */
import type { Project } from '@crewagent/protocol/project';
import { CrewError } from '../../base/crew-error.ts';
import type { UserStore } from '../../store/store.ts';
import { resolveByName } from '../resolve-servers.ts';
import { startServerLogin } from './manage-logins.ts';

export interface PendingLogin {
  /** The page to sign in, while the person is expected there. */
  readonly url?: string;
  /** Why the last login failed. */
  readonly error?: string;
}

export interface PendingLogins {
  /** Resolves to the page to sign in. A login to the same server that is in progress is cancelled. */
  start(id: string, project?: Project): Promise<string>;
  find(loginKey: string): PendingLogin | undefined;
  /** Returns false if none is in progress. */
  cancel(id: string, project?: Project): Promise<boolean>;
  close(): Promise<void>;
}

interface Entry {
  readonly controller: AbortController;
  pending: PendingLogin;
  done: Promise<void>;
}

export function createPendingLogins(store: UserStore): PendingLogins {
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
    async start(id, project) {
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
    find: (loginKey) => entries.get(loginKey)?.pending,
    cancel: async (id, project) => drop((await resolveByName(store, id, project)).loginKey),
    async close() {
      await Promise.all([...entries.keys()].map(drop));
    },
  };
}
