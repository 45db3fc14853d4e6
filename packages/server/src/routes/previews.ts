/**
 * Previews of HTML: created through the API, shown once as a separate document in a frame of our page.
 */
import { CrewError } from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import { PREVIEW_ROOT } from '@crewagent/protocol/api/previews';
import type { Context } from 'hono';
import { mount, type Router } from '../mount.ts';
import { PREVIEW_HEADERS } from '../security/security-headers.ts';
import type { ServerEnv } from '../server-env.ts';
import type { ServerParts } from '../server-parts.ts';
import { toPreviewPage } from '../to-preview-page.ts';

export function mountPreviews(router: Router, { previews }: ServerParts): void {
  mount(router, ENDPOINTS.previews.create, ({ body }) =>
    Promise.resolve({ address: `${PREVIEW_ROOT}/${previews.add(toPreviewPage(body.html))}` }),
  );
  // Not in the table: a frame cannot send the token. The id is the capability.
  router.app.get(`${PREVIEW_ROOT}/:id`, (c) => {
    if (c.req.method !== 'GET') throw new CrewError('METHOD_REFUSED', 'Previews support GET only.');
    rejectOtherUses(c);
    const page = previews.take(c.req.param('id'));
    if (!page) throw new CrewError('NOT_FOUND', 'This preview was already shown or has expired.');
    return new Response(page, {
      headers: { ...PREVIEW_HEADERS, 'content-type': 'text/html; charset=utf-8' },
    });
  });
}

/** A browser states the destination and the site of a request; other clients send neither header. */
function rejectOtherUses(c: Context<ServerEnv>): void {
  const isFrame = (c.req.header('sec-fetch-dest') ?? 'iframe') === 'iframe';
  const isOurs = (c.req.header('sec-fetch-site') ?? 'same-origin') === 'same-origin';
  if (!isFrame || !isOurs)
    throw new CrewError('ORIGIN_REFUSED', 'Previews can only be shown in a frame of the CrewAgent page.');
}
