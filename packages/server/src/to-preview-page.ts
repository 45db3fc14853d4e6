/**
 * The HTML of a preview: a person's text with a few changes that keep clicks harmless and connections unopened. The
 * preview's policy (`PREVIEW_HEADERS`) is what forbids scripts and requests; nothing here has to be complete. Pure, and linear
 * in the length of the text, however it is written.
 */
export function toPreviewPage(html: string): string {
  const inert = html
    .replace(CONNECTING_TAGS, '<basefont')
    .replace(IFRAME_TAGS, '<$1noframes')
    .replace(LINKS_WITHIN, '$1target="_self" ');
  return PROLOGUE + inert;
}

/**
 * A link without a target opens a new window, which the sandbox forbids: a click does nothing. Without this line the link would
 * replace the preview by an error page. Of several base elements the first one counts. The doctype comes first because one
 * behind an element is ignored; so a page without a doctype is drawn in standards mode here.
 */
const PROLOGUE = '<!doctype html><base target="_blank">';

/**
 * No policy governs `preconnect` and `dns-prefetch`, and a browser may connect to the host of a frame before it asks the policy.
 * The parser treats `basefont` exactly as it treats `link`, and browsers do nothing with it.
 */
const CONNECTING_TAGS = /<(?:link|frame)(?=[\s/>])/gi;

/** Like the content of `iframe`, the content of `noframes` is text up to its end tag; it is not shown. */
const IFRAME_TAGS = /<(\/?)iframe(?=[\s/>])/gi;

/** Links to a section of the same page, as in a table of contents, keep working. */
const LINKS_WITHIN = /(<a\s(?:[^<>]*?\s)??)(?=href\s*=\s*["']?#)/gi;
