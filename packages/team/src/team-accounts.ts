/** Everything about people that a team server needs: their accounts, what they may do, and the routes for both. */
import type { Access, Router } from '@crewagent/server/app';
import { createAddressReader } from './access/client-address.ts';
import { createIdentities } from './access/identities.ts';
import { createSessionCookie } from './access/session-cookie.ts';
import { createTeamAccess } from './access/team-access.ts';
import { type Accounts, type AccountsOptions, createAccounts } from './accounts/accounts.ts';
import { mountAccounts } from './http/mount-accounts.ts';

export interface TeamAccountsOptions extends AccountsOptions {
  /** Address of the server for people, such as `https://crew.example.com`. */
  readonly publicUrl: string;
  /** How many proxies of the team a request passes before it arrives here. */
  readonly proxies?: number | undefined;
}

export interface TeamAccounts {
  readonly accounts: Accounts;
  readonly access: Access;
  mount(router: Router): void;
}

export function createTeamAccounts(options: TeamAccountsOptions): TeamAccounts {
  const { database, proxies = 0 } = options;
  const { origin: publicUrl, protocol } = new URL(options.publicUrl);
  const accounts = createAccounts(options);
  const cookie = createSessionCookie(protocol === 'https:');
  const identities = createIdentities(accounts, cookie);
  const addressOf = createAddressReader(proxies);
  return {
    accounts,
    access: createTeamAccess({ database, accounts, identities, addressOf }),
    mount: (router) => mountAccounts(router, { accounts, identities, cookie, addressOf, publicUrl }),
  };
}
