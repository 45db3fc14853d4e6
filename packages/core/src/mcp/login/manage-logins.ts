/**
 * Logins to MCP servers: sign in, and delete the tokens. Loads the client only for a login.
 */
import type { Project } from '@crewagent/protocol/project';
import { CrewError } from '../../base/crew-error.ts';
import type { UserStore } from '../../store/store.ts';
import { resolveByName } from '../resolve-servers.ts';
import type { ResolvedServer } from '../server-target.ts';
import type { StartedLogin } from './login.ts';
import { openLoginRecord } from './login-record.ts';
import type { RegisteredClient } from './login-session.ts';

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
