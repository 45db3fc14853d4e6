/** Everything about people that a team server needs: their accounts, what they may do, and the routes for both. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Person } from '@crewagent/protocol/api/accounts';
import type { Access, Router } from '@crewagent/server/team';
import { createAddressReader } from '../access/client-address.ts';
import { createIdentities, type Identities, type Identity } from '../access/identities.ts';
import { createSessionCookie } from '../access/session-cookie.ts';
import { createTeamAccess, type TeamAccessOptions } from '../access/team-access.ts';
import { type Accounts, type AccountsOptions, createAccounts } from '../accounts/accounts.ts';
import { createInbox, type Inbox } from '../inbox/inbox.ts';
import { createCeremonies } from '../sign-in/ceremonies.ts';
import { createOidcSignIn, type OidcProvider } from '../sign-in/oidc.ts';
import { createPasskeys } from '../sign-in/passkeys.ts';
import { mountAccounts } from './mount-accounts.ts';
import { CALLBACK_PATH } from './oidc.ts';

export interface TeamAccountsOptions extends AccountsOptions, Pick<TeamAccessOptions, 'usualApproval'> {
  /** Address of the server for people, such as `https://crew.example.com`. */
  readonly publicUrl: string;
  /** How many proxies of the team a request passes before it arrives here. */
  readonly proxies?: number | undefined;
  readonly oidcProviders?: readonly OidcProvider[] | undefined;
}

export interface TeamAccounts {
  readonly accounts: Accounts;
  readonly access: Access;
  readonly identities: Identities;
  readonly inbox: Inbox;
  /** Whose call is being handled. */
  currentPerson(): Person | undefined;
  mount(router: Router): void;
}

export function createTeamAccounts(options: TeamAccountsOptions): TeamAccounts {
  const { database, proxies = 0, usualApproval } = options;
  const { origin: publicUrl, protocol } = new URL(options.publicUrl);
  const accounts = createAccounts(options);
  const isSecure = protocol === 'https:';
  const cookie = createSessionCookie(isSecure);
  const identities = createIdentities(accounts, cookie);
  const addressOf = createAddressReader(proxies);
  const inbox = createInbox(database);
  const current = new AsyncLocalStorage<Identity>();
  const ceremonies = createCeremonies(database);
  const oidc = createOidcSignIn({
    accounts,
    ceremonies,
    providers: options.oidcProviders ?? [],
    redirectUri: `${publicUrl}${CALLBACK_PATH}`,
  });
  const passkeys = createPasskeys({ database, accounts, ceremonies, origin: publicUrl });
  return {
    accounts,
    identities,
    inbox,
    access: createTeamAccess({ database, accounts, identities, inbox, addressOf, current, usualApproval }),
    currentPerson: () => current.getStore()?.person,
    mount: (router) =>
      mountAccounts(router, {
        ...{ accounts, identities, cookie, addressOf, publicUrl, oidc, passkeys },
        oidcCookie: createSessionCookie(isSecure, 'crewagent-oidc', 'Lax'),
        ceremonySeconds: ceremonies.seconds,
      }),
  };
}
