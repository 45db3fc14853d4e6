/** The account of the person who is signed in: password, sessions, tokens. */
import { CrewError } from '@crewagent/core';
import { TEAM_ENDPOINTS } from '@crewagent/protocol/api/accounts';
import { listEndpoints } from '@crewagent/protocol/api/endpoints';
import { mount, type Router } from '@crewagent/server/team';
import { requireIdentity } from './account-routes.ts';
import type { PasskeyRoutes } from './passkeys.ts';

export function mountOwnAccount(router: Router, routes: PasskeyRoutes): void {
  const { accounts, addressOf, passkeys } = routes;
  const { account } = TEAM_ENDPOINTS;
  const absent = listEndpoints().flatMap(({ name, endpoint }) =>
    router.access.offers(endpoint) ? [] : [name],
  );
  mount(router, account.me, async ({ viewer }) => {
    const { person, roles } = requireIdentity(routes, viewer);
    return {
      person,
      roles: Object.fromEntries(roles),
      hasPassword: await accounts.hasPassword(person),
      passkeys: (await passkeys.list(person.personId)).length,
      absent,
    };
  });
  mount(router, account.changePassword, async ({ viewer, body: { current, password }, headers, address }) => {
    const { person, sessionId } = requireIdentity(routes, viewer);
    if (await accounts.hasPassword(person)) {
      if (current === undefined) throw new CrewError('SIGN_IN_FAILED', 'Enter the current password as well.');
      await accounts.checkPassword(person.email, current, addressOf(headers, address));
    }
    await accounts.changePassword(person, password);
    await accounts.sessions.end(person.personId, { except: sessionId });
  });
  mount(router, account.sessions, async ({ viewer }) => {
    const { person } = requireIdentity(routes, viewer);
    return { sessions: await accounts.sessions.list(person.personId) };
  });
  mount(router, account.endSession, async ({ viewer, params: { sessionId } }) => {
    const { person } = requireIdentity(routes, viewer);
    await accounts.sessions.end(person.personId, { only: sessionId });
  });
  mount(router, account.tokens, async ({ viewer }) => {
    const { person } = requireIdentity(routes, viewer);
    return { tokens: await accounts.tokens.list(person.personId) };
  });
  mount(router, account.createToken, async ({ viewer, body }) => {
    const { person } = requireIdentity(routes, viewer);
    return accounts.tokens.create(person.personId, body);
  });
  mount(router, account.revokeToken, async ({ viewer, params: { tokenId } }) => {
    const { person } = requireIdentity(routes, viewer);
    await accounts.tokens.revoke(person.personId, tokenId);
  });
}
