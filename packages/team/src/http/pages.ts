/** Pages of the app are for people who are signed in; others are sent to the sign-in page, which is one of its files. */
import { extname } from 'node:path/posix';
import type { Router } from '@crewagent/server/team';
import type { AccountRoutes } from './account-routes.ts';

const SIGN_IN = '/sign-in';

export function mountPages({ app }: Router, { identities }: AccountRoutes): void {
  // Browsers keep the fragment, in which the token of a link is.
  app.get(SIGN_IN, (c) => c.redirect(`${SIGN_IN}.html${new URL(c.req.url).search}`));
  app.get('*', async (c, next) => {
    const { pathname } = new URL(c.req.url);
    const isPage = extname(pathname) === '' && (c.req.header('accept') ?? '').includes('text/html');
    if (!isPage || pathname.startsWith('/api/')) return next();
    const viewer = await identities.authenticate(c.req.raw.headers);
    return identities.of(viewer) ? next() : c.redirect(SIGN_IN);
  });
}
