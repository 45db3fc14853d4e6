/** Passkeys: signing in with one, adding and removing one's own. */
import { TEAM_ENDPOINTS } from '@crewagent/protocol/api/accounts';
import { mount, mountRaw, type Router } from '@crewagent/server/team';
import type { Passkeys } from '../sign-in/passkeys.ts';
import { type AccountRoutes, openSession, requireIdentity, toJson } from './account-routes.ts';

export interface PasskeyRoutes extends AccountRoutes {
  readonly passkeys: Passkeys;
}

export function mountPasskeys(router: Router, routes: PasskeyRoutes): void {
  const { accounts, addressOf, passkeys } = routes;
  const { account } = TEAM_ENDPOINTS;
  mount(router, account.startPasskey, async ({ headers, address }) => {
    await accounts.attempts.begin(undefined, addressOf(headers, address));
    return passkeys.start();
  });
  mountRaw(router, account.finishPasskey, async ({ body, headers, address }) => {
    const person = await passkeys.finish(body);
    return toJson(
      person,
      await openSession(routes, { person, action: 'account.finishPasskey', headers, address }),
    );
  });
  mount(router, account.passkeys, async ({ viewer }) => {
    const { person } = requireIdentity(routes, viewer);
    return { passkeys: await passkeys.list(person.personId) };
  });
  mount(router, account.addPasskey, ({ viewer }) =>
    passkeys.startAdding(requireIdentity(routes, viewer).person),
  );
  mount(router, account.finishAddingPasskey, ({ viewer, body }) =>
    passkeys.finishAdding(requireIdentity(routes, viewer).person.personId, body),
  );
  mount(router, account.removePasskey, ({ viewer, params: { credentialId } }) =>
    passkeys.remove(requireIdentity(routes, viewer).person.personId, credentialId),
  );
}
