/** The routes of accounts. A team server mounts them beside those of the runtime. */
import type { Router } from '@crewagent/server/team';
import { mountMembers } from './members.ts';
import { mountOidc, type OidcRoutes } from './oidc.ts';
import { mountOwnAccount } from './own-account.ts';
import { mountPages } from './pages.ts';
import { mountPasskeys, type PasskeyRoutes } from './passkeys.ts';
import { mountSignIn } from './sign-in.ts';

export function mountAccounts(router: Router, routes: OidcRoutes & PasskeyRoutes): void {
  mountSignIn(router, routes);
  mountOidc(router, routes);
  mountPasskeys(router, routes);
  mountOwnAccount(router, routes);
  mountMembers(router, routes);
  mountPages(router, routes);
}
