import type { Person } from '@crewagent/protocol/api/accounts';
import { type Role } from '@crewagent/protocol/roles';
import type { Viewer } from '@crewagent/server/team';
import type { Accounts } from '../accounts/accounts.ts';
import type { SessionCookie } from './session-cookie.ts';
export interface Identity {
  readonly person: Person;
  readonly via: 'session' | 'token';
  /** Of the session. */
  readonly sessionId?: string | undefined;
  /** May do everything in all projects; a token never may. */
  readonly isAdmin: boolean;
  /** By project, not more than the scope of a token. */
  readonly roles: ReadonlyMap<string, Role>;
}
export type Identities = ReturnType<typeof createIdentities>;
export declare function createIdentities(
  accounts: Accounts,
  cookie: SessionCookie,
): {
  /** Somebody without a session is nobody; a token that is not valid is refused. */
  authenticate(headers: Headers): Promise<Viewer>;
  /** Undefined for somebody who is not signed in. */
  of: (viewer: Viewer) => Identity | undefined;
  /** Whether the viewer may still do the same as before. */
  isCurrent(viewer: Viewer): Promise<boolean>;
};
