/**
 * Where the login of one MCP server is stored: in the secrets of the store, or in memory for a login that is only tried.
 */
import type { ServerLogin } from '@crewagent/protocol/secrets';
import type { UserStore } from '../store/store.ts';
import type { HttpAddress } from './open-client.ts';
import type { ResolvedServer } from './resolve-servers.ts';

export interface LoginRecord {
  /** The MCP server's URL. */
  readonly url: string;
  read(): Promise<Login | undefined>;
  /** undefined removes it. */
  write(login: Login | undefined): Promise<void>;
  /** One at a time, across processes: for changes that depend on what was read. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
}

export type Login = Omit<ServerLogin, 'address'>;

/** Undefined for a process, and if a person set the header that a login would set. */
export function openLoginRecord(
  store: UserStore,
  { loginKey, target }: Pick<ResolvedServer, 'loginKey' | 'target'>,
): LoginRecord | undefined {
  if ('command' in target || hasAuthorization(target)) return undefined;
  const { url } = target;
  return {
    url,
    read: () => store.secrets.readLogin(loginKey, url),
    write: (login) => store.secrets.writeLogin(loginKey, login && { ...login, address: url }),
    exclusively: (work) => store.secrets.whileRenewing(work),
  };
}

function hasAuthorization({ headers }: HttpAddress): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

export function createMemoryRecord(url: string): LoginRecord {
  let stored: Login | undefined;
  return {
    url,
    read: () => Promise.resolve(stored),
    write: (login) => {
      stored = login;
      return Promise.resolve();
    },
    exclusively: (work) => work(),
  };
}
