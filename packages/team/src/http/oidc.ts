/**
 * Sign-in with an identity provider. The provider sends the browser back to an address outside of the API: that request comes from
 * another site, and carries only the cookie of the sign-in in progress.
 */
import { CrewError } from '@crewagent/core';
import { TEAM_ENDPOINTS } from '@crewagent/protocol/api/accounts';
import { mount, mountRaw, type Router } from '@crewagent/server/team';
import type { SessionCookie } from '../access/session-cookie.ts';
import type { OidcSignIn } from '../sign-in/oidc.ts';
import { type AccountRoutes, openSession, toJson } from './account-routes.ts';

export const CALLBACK_PATH = '/sign-in/callback';

export interface OidcRoutes extends AccountRoutes {
  readonly oidc: OidcSignIn;
  /** Of a sign-in in progress; other than that of a session it is sent when another site opens the page. */
  readonly oidcCookie: SessionCookie;
  readonly ceremonySeconds: number;
}

export function mountOidc(router: Router, routes: OidcRoutes): void {
  const { accounts, identities, addressOf, oidc, oidcCookie, ceremonySeconds } = routes;
  const { account } = TEAM_ENDPOINTS;
  mount(router, account.methods, () => Promise.resolve({ oidc: oidc.providers }));
  mountRaw(router, account.startOidc, async ({ viewer, body: { provider }, headers, address }) => {
    await accounts.attempts.begin(undefined, addressOf(headers, address));
    const { url, token } = await oidc.start(provider, identities.of(viewer)?.person.personId);
    return toJson({ url }, oidcCookie.write(token, ceremonySeconds));
  });
  // Not in the table: a browser is sent here by the provider.
  router.app.get(CALLBACK_PATH, async (c) => {
    const { headers } = c.req.raw;
    const address = c.env.incoming?.socket.remoteAddress;
    const token = oidcCookie.read(headers);
    const action = 'account.startOidc';
    try {
      if (token === undefined) throw new CrewError('SIGN_IN_FAILED', 'Start again in this browser.');
      const person = await oidc.finish(token, new URL(c.req.url).search);
      const cookie = await openSession(routes, { person, action, headers, address });
      return toPage('/', [cookie, oidcCookie.clear()]);
    } catch (error) {
      if (!(error instanceof CrewError)) throw error;
      const client = addressOf(headers, address);
      if (token !== undefined)
        await accounts.audit.append({ via: 'none', action, outcome: error.code, address: client });
      return toPage(`/sign-in?problem=${error.code}`, [oidcCookie.clear()]);
    }
  });
}

/**
 * A page that opens another one. A redirect would not do: it continues the request of the other site, and browsers do not send the cookie
 * of the session with that.
 */
function toPage(address: string, cookies: readonly string[]): Response {
  const html = `<!doctype html><meta http-equiv="refresh" content="0;url=${address}"><title>CrewAgent</title>`;
  const headers = new Headers({ 'content-type': 'text/html; charset=utf-8' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(html, { headers });
}
