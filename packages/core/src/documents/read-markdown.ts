/** Parses the Markdown of a document for an export. Untrusted: HTML in it stays text. Pure. */
import { Lexer, type MarkedToken, type Token } from 'marked';

/** Longer documents are exported as they are written. */
const MAX_CHARS = 1_000_000;

export function readMarkdown(text: string): readonly MarkedToken[] {
  const body = withoutFrontmatter(text);
  if (body.length > MAX_CHARS) return [toPlainBlock(body)];
  try {
    // Without extensions there are no other token types.
    return withNamedDiagrams(new Lexer({ gfm: true }).lex(body) as MarkedToken[]);
  } catch {
    return [toPlainBlock(body)];
  }
}

/** A diagram is drawn on the page only: a reader of an export is told what its source is. */
function withNamedDiagrams(tokens: readonly MarkedToken[]): MarkedToken[] {
  return tokens.flatMap((token) =>
    token.type === 'code' && token.lang?.trim() === 'mermaid' ? [DIAGRAM, token] : [token],
  );
}

const DIAGRAM_TEXT = 'Diagram (Mermaid source):';
const DIAGRAM: MarkedToken = {
  type: 'paragraph',
  raw: DIAGRAM_TEXT,
  text: DIAGRAM_TEXT,
  tokens: [{ type: 'text', raw: DIAGRAM_TEXT, text: DIAGRAM_TEXT, escaped: false }],
};

function toPlainBlock(text: string): MarkedToken {
  return { type: 'code', raw: text, text };
}

/** For programs; a reader does not need it. */
function withoutFrontmatter(text: string): string {
  return text.replace(/^\ufeff?---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?---[ \t]*(?:\r?\n|$)/, '').trim();
}

/** Tokens inside of a token, typed like those of the text. */
export function insideOf(tokens: readonly Token[] | undefined): readonly MarkedToken[] {
  return (tokens ?? []) as readonly MarkedToken[];
}

/** Only absolute web and mail URLs become links. */
export function toSafeUrl(url: string): string | undefined {
  return /^(?:https?:\/\/|mailto:)/i.test(url.trim()) ? url.trim() : undefined;
}

/** Decodes the character references that models write; others stay. */
export function decodeReferences(text: string): string {
  return text.replace(
    /&(?:amp|lt|gt|quot|apos|nbsp|mdash|ndash|hellip|#39);/g,
    (name) => NAMED[name] ?? name,
  );
}

const NAMED: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&nbsp;': '\u00a0',
  '&mdash;': '—',
  '&ndash;': '–',
  '&hellip;': '…',
};
