/** What the routes of accounts share: who makes a call, and the cookie of a new session. */
import { CrewError } from '@crewagent/core';
import type { Person } from '@crewagent/protocol/api/accounts';
import type { Viewer } from '@crewagent/server/team';
import type { AddressOf } from '../access/client-address.ts';
import type { Identities, Identity } from '../access/identities.ts';
import type { SessionCookie } from '../access/session-cookie.ts';
import type { Accounts } from '../accounts/accounts.ts';

export interface AccountRoutes {
  readonly accounts: Accounts;
  readonly identities: Identities;
  readonly cookie: SessionCookie;
  readonly addressOf: AddressOf;
  /** Address of the server for people, such as `https://crew.example.com`. */
  readonly publicUrl: string;
}

/** Of a viewer whom the table of rights has let pass. */
export function requireIdentity({ identities }: Pick<AccountRoutes, 'identities'>, viewer: Viewer): Identity {
  const identity = identities.of(viewer);
  if (!identity) throw new CrewError('SIGN_IN_REQUIRED', 'Sign in first.');
  return identity;
}

/** The token is in the fragment, which no browser sends to a server or in a referrer. */
export function toLink(
  { publicUrl }: Pick<AccountRoutes, 'publicUrl'>,
  kind: 'sign-in' | 'invitation',
  token: string,
) {
  return `${publicUrl}/sign-in#${kind}=${token}`;
}

export interface SigningIn {
  readonly person: Person;
  /** The name of the endpoint. */
  readonly action: string;
  readonly headers: Headers;
  readonly address: string | undefined;
}

/** Opens a session; returns the header that gives it to the browser. */
export async function openSession(
  { accounts, cookie, addressOf }: Pick<AccountRoutes, 'accounts' | 'cookie' | 'addressOf'>,
  { person, action, headers, address: socketAddress }: SigningIn,
): Promise<string> {
  const address = addressOf(headers, socketAddress);
  const { personId, email } = person;
  await accounts.audit.append({ personId, person: email, via: 'none', action, outcome: 'allowed', address });
  const userAgent = headers.get('user-agent') ?? '';
  const token = await accounts.sessions.open(personId, { userAgent, address });
  return cookie.write(token, accounts.sessions.absoluteSeconds);
}

export function toJson(value: unknown, cookie: string): Response {
  return Response.json(value, { headers: { 'set-cookie': cookie } });
}
