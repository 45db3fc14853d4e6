/**
 * Previews of HTML: the page sends a text and gets a URL that shows it once, in a frame of the page.
 */
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';

/** Outside the API: the browser loads a preview as a document, without the token. */
export const PREVIEW_ROOT = '/preview';

/** The editor opens texts of up to 4 MiB; JSON escapes may make them longer. */
const MAX_PREVIEW_BYTES = 12 * 1024 * 1024;

export const previews = {
  create: defineEndpoint(
    'POST /previews',
    'Returns an address that shows an HTML text once, in a frame of the page, and soon expires.',
    {
      body: z.strictObject({ html: z.string() }),
      maxBytes: MAX_PREVIEW_BYTES,
      response: z.strictObject({
        address: z.string().check(z.regex(/^\/preview\/[\w-]{22,64}$/, 'a path below /preview/')),
      }),
      status: 201,
    },
  ),
};
