/** Blocks of Markdown as lines for the terminal, wrapped to its width. Pure. Texts are sanitized. */
import type { Token, Tokens } from 'marked';
import { wrapLine } from '../text/wrap.ts';
import { colourCode } from './colour-code.ts';
import { renderInline } from './render-inline.ts';
import { type BlockOptions, renderTable } from './render-table.ts';

export function renderBlocks(tokens: readonly Token[], options: BlockOptions): string[] {
  const blocks = tokens.map((token) => renderBlock(token, options)).filter((lines) => lines.length > 0);
  return blocks.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}

function renderBlock(token: Token, options: BlockOptions): string[] {
  const { style, width } = options;
  switch (token.type) {
    case 'space':
    case 'def':
      return [];
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading;
      const text = style('bold', renderInline(tokens, style));
      return wrapText(depth <= 2 ? style('cyan', text) : text, width);
    }
    case 'code': {
      const { text, lang = '' } = token as Tokens.Code;
      return text.split('\n').map((line) => `  ${colourCode(line, lang, style)}`);
    }
    case 'blockquote': {
      const inner = renderBlocks((token as Tokens.Blockquote).tokens, { style, width: width - 2 });
      return inner.map((line) => `${style('dim', '│')} ${line}`);
    }
    case 'list':
      return renderList(token as Tokens.List, options);
    case 'table':
      return renderTable(token as Tokens.Table, options);
    case 'hr':
      return [style('dim', '─'.repeat(Math.min(width, 40)))];
    case 'html':
      return token.raw.trim() === '' ? [] : wrapText(token.raw.trimEnd(), width);
    default: {
      const { tokens, raw } = token as Tokens.Generic;
      return wrapText(tokens ? renderInline(tokens, style) : raw.trimEnd(), width);
    }
  }
}

function wrapText(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, width));
}

function renderList({ items, ordered, start, loose }: Tokens.List, options: BlockOptions): string[] {
  const { style, width } = options;
  const first = Number(start) || 1;
  const digits = `${first + items.length - 1}`.length;
  return items.flatMap((item, index) => {
    const box = item.checked ? '☑ ' : '☐ ';
    const mark = item.task ? box : ordered ? `${`${first + index}`.padStart(digits)}. ` : '• ';
    const indent = ' '.repeat(mark.length);
    const inner = { style, width: width - mark.length };
    // The box of a task is a mark, not a text.
    const parts = item.tokens
      .filter(({ type }) => type !== 'checkbox')
      .map((token) => renderBlock(token, inner));
    const lines = parts
      .filter((part) => part.length > 0)
      .flatMap((part, at) => (loose && at > 0 ? ['', ...part] : part));
    const shown = lines.map((line, at) => (at === 0 ? `${style('cyan', mark)}${line}` : `${indent}${line}`));
    return loose && index > 0 ? ['', ...shown] : shown;
  });
}
