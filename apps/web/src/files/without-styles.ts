/**
 * The text of a page with its styles renamed, before anything looks at it as a page: a browser complains of styles that our
 * policy refuses when it only parses them. Reads as a browser does, each character once, whatever is left open. Pure.
 */
export function withoutStyles(text: string): string {
  const html = text.replace(/<(\/?)style\b/gi, '<$1noembed');
  const parts: string[] = [];
  let index = 0;
  while (index < html.length) {
    const { from, to, name } = findTag(html, index);
    parts.push(html.slice(index, from), renameStyle(html.slice(from, to)));
    const next = HOLDS_TEXT.has(name) ? findEnd(html, to, name) : to;
    parts.push(html.slice(to, next));
    index = next;
  }
  return parts.join('');
}

interface FoundTag {
  /** In lower case. */
  readonly name: string;
  /** Where its attributes are. */
  readonly from: number;
  readonly to: number;
}

/** The next one, or the end of the page. */
function findTag(html: string, index: number): FoundTag {
  const start = matchFrom(COMMENT_OR_TAG, html, index);
  if (!start) return { name: '', from: html.length, to: html.length };
  const from = start.index + start[0].length;
  const { 1: name } = start;
  if (name === undefined) return { name: '', from, to: from };
  let to = from;
  for (let found = matchFrom(ATTRIBUTE, html, to); found; found = matchFrom(ATTRIBUTE, html, to)) {
    to += found[0].length;
  }
  return { name: name.toLowerCase(), from, to };
}

function matchFrom(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(text);
}

const COMMENT_OR_TAG = /<!--(?:-?>|[\s\S]*?(?:--!?>|$))|<([a-z][^\s/>]*)/gi;

/** With its value, which may hold anything between quotes; nothing in here tries again, or a long page would take for ever. */
const ATTRIBUTE = /[\s/]*(?:=[^\s/>=]*|[^\s/>=]+)(?:\s*=\s*(?:"[^"]*"?|'[^']*'?|[^\s"'>][^\s>]*)?)?/y;

function renameStyle(attributes: string): string {
  return attributes.replace(/(^|[\s"'/])style(?=[\s=])/gi, '$1data-style');
}

/** What is in these is text up to their end, whatever it looks like. */
const HOLDS_TEXT: ReadonlySet<string> = new Set([
  'script',
  'noembed',
  'textarea',
  'title',
  'xmp',
  'iframe',
  'noframes',
]);

function findEnd(html: string, index: number, name: string): number {
  return matchFrom(new RegExp(`</${name}[\\s/>]`, 'gi'), html, index)?.index ?? html.length;
}
