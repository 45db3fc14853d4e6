/** The routes of accounts. A team server mounts them beside those of the runtime. */
import type { Router } from '@crewagent/server/app';
import type { AccountRoutes } from './account-routes.ts';
import { mountMembers } from './members.ts';
import { mountOwnAccount } from './own-account.ts';
import { mountSignIn } from './sign-in.ts';

export function mountAccounts(router: Router, routes: AccountRoutes): void {
  mountSignIn(router, routes);
  mountOwnAccount(router, routes);
  mountMembers(router, routes);
}
