/** Signing in and out. */
import { CrewError } from '@crewagent/core';
import { TEAM_ENDPOINTS } from '@crewagent/protocol/api/accounts';
import { mountRaw, type Router } from '@crewagent/server/team';
import { type AccountRoutes, openSession, requireIdentity, toJson } from './account-routes.ts';

export function mountSignIn(router: Router, routes: AccountRoutes): void {
  const { accounts, identities, cookie, addressOf } = routes;
  const { account } = TEAM_ENDPOINTS;
  mountRaw(router, account.signIn, async ({ body: { email, password }, headers, address }) => {
    const person = await accounts.checkPassword(email, password, addressOf(headers, address));
    return toJson(person, await openSession(routes, { person, action: 'account.signIn', headers, address }));
  });
  mountRaw(router, account.signInByLink, async ({ body: { token, password }, headers, address }) => {
    await accounts.attempts.begin(undefined, addressOf(headers, address));
    const person = await accounts.useSignInLink(token, password);
    return toJson(
      person,
      await openSession(routes, { person, action: 'account.signInByLink', headers, address }),
    );
  });
  mountRaw(router, account.acceptInvitation, async ({ body, viewer, headers, address }) => {
    const identity = identities.of(viewer);
    if (identity?.via === 'token')
      throw new CrewError('ACCESS_DENIED', 'A token cannot accept an invitation.');
    const who = identity?.person ?? body.account;
    if (!who) throw new CrewError('SIGN_IN_REQUIRED', 'Sign in, or give the details of a new account.');
    await accounts.attempts.begin(undefined, addressOf(headers, address));
    const accepted = await accounts.acceptInvitation(body.token, who);
    const { person } = accepted;
    const action = 'account.acceptInvitation';
    return toJson(accepted, await openSession(routes, { person, action, headers, address }));
  });
  mountRaw(router, account.signOut, async ({ viewer, body: { everywhere } }) => {
    const { person, sessionId } = requireIdentity(routes, viewer);
    await accounts.sessions.end(person.personId, everywhere ? {} : { only: sessionId });
    return new Response(null, { status: 204, headers: { 'set-cookie': cookie.clear() } });
  });
}
