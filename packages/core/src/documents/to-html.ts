/** A Markdown document as HTML for one of our own pages. Every text is escaped, so that none becomes markup. Pure. */
import type { MarkedToken, Tokens } from 'marked';
import type { DocumentImage } from './document-image.ts';
import { escapeText } from './escape-text.ts';
import { decodeReferences, insideOf, readMarkdown, toSafeUrl } from './read-markdown.ts';

export interface HtmlOptions {
  /** By the target that the document names. */
  readonly images?: ReadonlyMap<string, DocumentImage> | undefined;
  /** Added to the level of every heading. */
  readonly headingShift?: number;
}

export function markdownToHtml(text: string, options: HtmlOptions = {}): string {
  return toBlocks(readMarkdown(text), options);
}

function toBlocks(tokens: readonly MarkedToken[], options: HtmlOptions): string {
  return tokens.map((token) => toBlock(token, options)).join('');
}

function toBlock(token: MarkedToken, options: HtmlOptions): string {
  switch (token.type) {
    case 'space':
    case 'def':
      return '';
    case 'heading': {
      const level = Math.min(6, token.depth + (options.headingShift ?? 0));
      return `<h${level}>${toInline(token.tokens, options)}</h${level}>\n`;
    }
    case 'paragraph':
      return `<p>${toInline(token.tokens, options)}</p>\n`;
    case 'code':
      return `<pre><code>${escapeText(token.text)}</code></pre>\n`;
    case 'blockquote':
      return `<blockquote>${toBlocks(insideOf(token.tokens), options)}</blockquote>\n`;
    case 'list': {
      const [open, close] = token.ordered
        ? [`<ol start="${Number(token.start) || 1}">`, '</ol>']
        : ['<ul>', '</ul>'];
      return `${open}${token.items.map((item: Tokens.ListItem) => `<li>${toBlocks(insideOf(item.tokens), options)}</li>`).join('')}${close}\n`;
    }
    case 'table':
      return toTable(token as Tokens.Table, options);
    case 'hr':
      return '<hr>\n';
    case 'html':
      return `<p>${escapeText(token.raw.trim())}</p>\n`;
    case 'text':
      return token.tokens ? toInline(token.tokens, options) : escapeText(decodeReferences(token.text));
    default:
      return toInline([token], options);
  }
}

function toTable({ header, rows }: Tokens.Table, options: HtmlOptions): string {
  const toCell = (cell: Tokens.TableCell, name: 'th' | 'td'): string => {
    const align = cell.align ? ` style="text-align:${cell.align}"` : '';
    return `<${name}${align}>${toInline(cell.tokens, options)}</${name}>`;
  };
  const head = header.map((cell) => toCell(cell, 'th')).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell) => toCell(cell, 'td')).join('')}</tr>`).join('');
  return `<table class="data"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>\n`;
}

function toInline(
  tokens: readonly MarkedToken[] | Tokens.Generic[] | undefined,
  options: HtmlOptions,
): string {
  return insideOf(tokens)
    .map((token) => toSpan(token, options))
    .join('');
}

function toSpan(token: MarkedToken, options: HtmlOptions): string {
  switch (token.type) {
    case 'text':
      return token.tokens ? toInline(token.tokens, options) : escapeText(decodeReferences(token.text));
    case 'strong':
    case 'em':
    case 'del':
      return `<${token.type}>${toInline(token.tokens, options)}</${token.type}>`;
    case 'codespan':
      return `<code>${escapeText(token.text)}</code>`;
    case 'br':
      return '<br>';
    case 'escape':
      return escapeText(token.text);
    case 'link': {
      const url = toSafeUrl(decodeReferences(token.href));
      const label = toInline(token.tokens, options);
      return url === undefined ? label : `<a href="${escapeText(url)}">${label}</a>`;
    }
    case 'image':
      return toImage(token, options);
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    default:
      return escapeText(token.raw);
  }
}

function toImage({ href, text }: Tokens.Image, { images }: HtmlOptions): string {
  const image = images?.get(href);
  if (!image) return `<em>${escapeText(decodeReferences(text) || href)}</em>`;
  const data = Buffer.from(image.bytes).toString('base64');
  const type = image.kind === 'jpg' ? 'jpeg' : image.kind;
  return `<img src="data:image/${type};base64,${data}" alt="${escapeText(decodeReferences(text))}">`;
}
