/**
 * Inline Markdown as coloured text; line breaks are kept. Pure. Each text is sanitized here, after the parser: it decodes entities,
 * and an entity can stand for a control character.
 */

import { toPlainText } from '@crewagent/protocol/plain-text';
import type { Token, Tokens } from 'marked';
import type { Styler } from '../../terminal.ts';

export function renderInline(tokens: readonly Token[], style: Styler): string {
  return tokens.map((token) => renderToken(token, style)).join('');
}

function renderToken(token: Token, style: Styler): string {
  const inner = (): string => renderInline((token as Tokens.Generic).tokens ?? [], style);
  switch (token.type) {
    case 'strong':
      return style('bold', inner());
    case 'em':
      return style('italic', inner());
    case 'del':
      return style('strikethrough', inner());
    case 'codespan':
      return style('cyan', toPlainText((token as Tokens.Codespan).text));
    case 'br':
      return '\n';
    case 'link': {
      const { href, text } = token as Tokens.Link;
      const label = style('underline', inner());
      return isShown(href, text) ? label : `${label} ${toAddress(href, style)}`;
    }
    case 'image': {
      const { href, text } = token as Tokens.Image;
      return text ? `${toPlainText(text)} ${toAddress(href, style)}` : toPlainText(href);
    }
    case 'escape':
      return toPlainText((token as Tokens.Escape).text);
    case 'text': {
      const { tokens, text } = token as Tokens.Text;
      // A line break of the source is a space; the text is wrapped anew.
      return tokens ? inner() : toPlainText(decodeEntities(text));
    }
    default:
      return toPlainText(token.raw);
  }
}

function toAddress(href: string, style: Styler): string {
  return style('dim', `(${toPlainText(href)})`);
}

/** The address says no more than the text. */
function isShown(href: string, text: string): boolean {
  return href === text || href === `mailto:${text}` || href === `http://${text}`;
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  copy: '©',
};

/** The parser decodes numbers. */
function decodeEntities(text: string): string {
  return text.replace(/&(\w{2,8});/g, (entity, name: string) =>
    Object.hasOwn(NAMED, name) ? (NAMED[name] ?? entity) : entity,
  );
}
