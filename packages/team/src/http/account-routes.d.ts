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
export declare function requireIdentity(
  { identities }: Pick<AccountRoutes, 'identities'>,
  viewer: Viewer,
): Identity;
/** The token is in the fragment, which no browser sends to a server or in a referrer. */
export declare function toLink(
  { publicUrl }: Pick<AccountRoutes, 'publicUrl'>,
  kind: 'sign-in' | 'invitation',
  token: string,
): string;
export interface SigningIn {
  readonly person: Person;
  /** The name of the endpoint. */
  readonly action: string;
  readonly headers: Headers;
  readonly address: string | undefined;
}
/** Opens a session; returns the header that gives it to the browser. */
export declare function openSession(
  { accounts, cookie, addressOf }: Pick<AccountRoutes, 'accounts' | 'cookie' | 'addressOf'>,
  { person, action, headers, address: socketAddress }: SigningIn,
): Promise<string>;
export declare function toJson(value: unknown, cookie: string): Response;
