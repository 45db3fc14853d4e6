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
