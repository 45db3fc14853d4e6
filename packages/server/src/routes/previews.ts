/**
 * Previews of HTML: created through the API, shown once as a separate document in a frame of our page.
 */
import { CrewError } from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import { PREVIEW_ROOT } from '@crewagent/protocol/api/previews';
import type { Context } from 'hono';
import { mount, type Router, type ServerEnv } from '../mount.ts';
import { PREVIEW_HEADERS } from '../security/security-headers.ts';
import type { ServerParts } from '../server-parts.ts';

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

/**
 * The HTML of a preview: the original text with a few changes that disable links and prevent connections. The preview's policy
 * (`PREVIEW_HEADERS`) is what forbids scripts and requests; these replacements need not be complete. Pure, and linear in the
 * length of the text for any input.
 */
export function toPreviewPage(html: string): string {
  const inert = html
    .replace(CONNECTING_TAGS, '<basefont')
    .replace(IFRAME_TAGS, '<$1noframes')
    .replace(LINKS_WITHIN, '$1target="_self" ');
  return PROLOGUE + inert;
}

/**
 * With this default target a link opens a new window, which the sandbox forbids, so a click does nothing; otherwise the link
 * would replace the preview with an error page. The first `base` element wins. The doctype comes first because it is ignored
 * after an element; so a page without a doctype is rendered in standards mode here.
 */
const PROLOGUE = '<!doctype html><base target="_blank">';

/**
 * No policy covers `preconnect` and `dns-prefetch`, and a browser may connect to the host of a frame before it checks the
 * policy. The parser treats `basefont` exactly like `link`, and browsers ignore it.
 */
const CONNECTING_TAGS = /<(?:link|frame)(?=[\s/>])/gi;

/** Like the content of `iframe`, the content of `noframes` is text up to its end tag; it is not rendered. */
const IFRAME_TAGS = /<(\/?)iframe(?=[\s/>])/gi;

/** Links to a section of the same page, as in a table of contents, keep working. */
const LINKS_WITHIN = /(<a\s(?:[^<>]*?\s)??)(?=href\s*=\s*["']?#)/gi;
