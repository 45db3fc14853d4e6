/** Who makes a request: a session of a browser, a token of a program, or nobody. */
import { CrewError } from '@crewagent/core';
import type { Person } from '@crewagent/protocol/api/accounts';
import { lesserRole, type Role } from '@crewagent/protocol/roles';
import type { Viewer } from '@crewagent/server/team';
import type { Accounts } from '../accounts/accounts.ts';
import { TOKEN_PREFIX } from '../accounts/api-tokens.ts';
import type { SessionCookie } from './session-cookie.ts';

export interface Identity {
  readonly person: Person;
  readonly via: 'session' | 'token';
  readonly sessionId?: string | undefined;
  readonly tokenId?: string | undefined;
  /** May do everything in all projects; a token never may. */
  readonly isAdmin: boolean;
  /** By project, not more than the scope of a token. */
  readonly roles: ReadonlyMap<string, Role>;
}

const NOBODY: Viewer = { id: '', projects: new Set() };

interface Known {
  readonly identity: Identity;
  /** Finds out again who it is. */
  find(): Promise<Identity | undefined>;
}

export type Identities = ReturnType<typeof createIdentities>;

export function createIdentities(accounts: Accounts, cookie: SessionCookie) {
  const known = new WeakMap<Viewer, Known>();

  const findToken = async (token: string, isUse: boolean): Promise<Identity | undefined> => {
    const found = await accounts.tokens.find(token, isUse);
    if (!found) return undefined;
    const { person, tokenId, scope, projectId } = found;
    // An administrator manages every project.
    const all = person.isAdmin ? (projectId ?? (await accounts.roles.projects())) : [...found.roles.keys()];
    const roles = [all].flat().flatMap((id): [string, Role][] => {
      const own = person.isAdmin ? 'manage' : found.roles.get(id);
      return own && (projectId === undefined || id === projectId) ? [[id, lesserRole(own, scope)]] : [];
    });
    return { person, via: 'token', tokenId, isAdmin: false, roles: new Map(roles) };
  };
  const findSession = async (token: string, isUse: boolean): Promise<Identity | undefined> => {
    const found = await accounts.sessions.find(token, isUse);
    return found && { ...found, via: 'session', isAdmin: found.person.isAdmin };
  };
  const toViewer = async (find: (isUse: boolean) => Promise<Identity | undefined>) => {
    const identity = await find(true);
    if (!identity) return undefined;
    const { person, isAdmin, roles } = identity;
    const viewer = { id: person.personId, projects: isAdmin ? undefined : new Set(roles.keys()) };
    known.set(viewer, { identity, find: () => find(false) });
    return viewer;
  };

  return {
    /** Somebody without a session is nobody; a token that is not valid is refused. */
    async authenticate(headers: Headers): Promise<Viewer> {
      const token = /^Bearer (\S{1,200})$/i.exec(headers.get('authorization') ?? '')?.[1];
      if (token?.startsWith(TOKEN_PREFIX)) {
        const viewer = await toViewer((isUse) => findToken(token, isUse));
        if (viewer) return viewer;
        throw new CrewError('SIGN_IN_REQUIRED', 'The token is not valid, or it has expired.');
      }
      const session = cookie.read(headers);
      // An old cookie is nobody's, so that its owner can sign in again.
      return (session && (await toViewer((isUse) => findSession(session, isUse)))) || NOBODY;
    },
    /** Undefined for somebody who is not signed in. */
    of: (viewer: Viewer): Identity | undefined => known.get(viewer)?.identity,
    /** Whether the viewer may still do the same as before. */
    async isCurrent(viewer: Viewer): Promise<boolean> {
      const { identity, find } = known.get(viewer) ?? {};
      const now = await find?.();
      return identity !== undefined && now !== undefined && rightsOf(now) === rightsOf(identity);
    },
  };
}

function rightsOf({ isAdmin, roles }: Identity): string {
  return JSON.stringify([isAdmin, [...roles].sort(([a], [b]) => (a < b ? -1 : 1))]);
}
