/**
 * Renders a reply in Markdown while it arrives: each block when it is complete, and the lines of a code block one by one. Untrusted
 * text: control characters are removed before it is rendered. Loaded only for a terminal.
 */
import { lexer, type Token } from 'marked';
import { type Styler, sanitizeLines } from '../../terminal.ts';
import type { ReplyStream } from '../text/reply-stream.ts';
import { wrapLine } from '../text/wrap.ts';
import { colourCode } from './colour-code.ts';
import { renderBlocks } from './render-blocks.ts';

export interface MarkdownOptions {
  readonly style: Styler;
  /** Of the terminal. */
  readonly width: number;
  readonly indent: string;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^`\n]*\n/;
const BLANK_LINES = /^(?:[ \t]*\n)+/;

/** A code block whose lines are printed as they arrive. */
interface OpenFence {
  readonly end: RegExp;
  readonly language: string;
  hasLines: boolean;
}

export function createMarkdownStream({ style, width, indent }: MarkdownOptions): ReplyStream {
  /** The text that is not printed yet: a block that may not be complete. */
  let buffer = '';
  /** The length of the buffer from which on it is parsed again: a long block is not parsed for each of its lines. */
  let parsedFrom = 0;
  let fence: OpenFence | undefined;
  let hasBegun = false;

  /** Whole lines, so that the status line can be below them. `isSameBlock`: without a blank line before it. */
  const toText = (lines: readonly string[], isSameBlock = false): string => {
    if (lines.length === 0) return '';
    const before = hasBegun && !isSameBlock ? '\n' : '';
    hasBegun = true;
    return before + lines.map((line) => `${`${indent}${line}`.trimEnd()}\n`).join('');
  };

  const render = (text: string): string => {
    const clean = sanitizeLines(text).join('\n').replaceAll('\t', '    ');
    const room = width - indent.length;
    const lines = isTangled(clean)
      ? clean
          .trimEnd()
          .split('\n')
          .flatMap((line) => wrapLine(line, room))
      : renderBlocks(lex(clean), { style, width: room });
    return toText(lines);
  };

  /** Prints complete lines of the code block, up to its end. */
  const takeCode = (open: OpenFence): string => {
    const shown: string[] = [];
    for (let at = buffer.indexOf('\n'); at !== -1 && fence; at = buffer.indexOf('\n')) {
      const line = buffer.slice(0, at);
      buffer = buffer.slice(at + 1);
      if (open.end.test(line)) fence = undefined;
      else shown.push(...sanitizeLines(line));
    }
    const lines = shown.map((line) => `  ${colourCode(line.replaceAll('\t', '  '), open.language, style)}`);
    const text = toText(lines, open.hasLines);
    open.hasLines ||= lines.length > 0;
    return text;
  };

  /** Prints all blocks but the last, which may not be complete. */
  const takeBlocks = (): string => {
    buffer = buffer.replace(BLANK_LINES, '');
    const [head, mark = '', language = ''] = FENCE.exec(buffer) ?? [];
    if (head !== undefined) {
      buffer = buffer.slice(head.length);
      fence = { end: new RegExp(`^ {0,3}${mark[0]}{${mark.length},}[ \\t]*$`), language, hasLines: false };
      return '';
    }
    if (buffer.length < parsedFrom) return '';
    const left = isTangled(buffer) ? lastParagraph(buffer) : lastBlock(lex(buffer));
    parsedFrom = left.length < SHORT ? 0 : left.length * 1.25;
    // A parser may change white space.
    if (!buffer.endsWith(left)) return '';
    const text = buffer.slice(0, buffer.length - left.length);
    buffer = left;
    return text === '' ? '' : render(text);
  };

  const drain = (): string => {
    let out = '';
    for (let before = -1; buffer !== '' && buffer.length !== before; ) {
      before = buffer.length;
      out += fence ? takeCode(fence) : takeBlocks();
    }
    return out;
  };

  return {
    push(piece) {
      // A carriage return waits for its line feed.
      buffer = (buffer + piece).replace(/\r\n|\r(?!$)/g, '\n');
      return piece.includes('\n') ? drain() : '';
    },
    end() {
      buffer = `${buffer.replace(/\r$/, '')}\n`;
      parsedFrom = 0;
      const out = drain();
      const text = fence ? '' : buffer;
      [buffer, fence] = ['', undefined];
      return text.trim() === '' ? out : out + render(text);
    },
    isMidLine: false,
    get unfinished() {
      return buffer.slice(-UNFINISHED_SHOWN);
    },
  };
}

const UNFINISHED_SHOWN = 200;

/** A block of fewer characters is parsed again for each line. */
const SHORT = 2_000;

function lex(text: string): Token[] {
  try {
    return lexer(text);
  } catch {
    return [{ type: 'text', raw: text, text } as Token];
  }
}

/** What may belong to the last block: a list, a quote and indented code go on after blank lines. */
function lastBlock(tokens: readonly Token[]): string {
  const [before, last] = tokens.slice(-2);
  if (!before || !last) return tokens.map(({ raw }) => raw).join('');
  if (last.type !== 'space') return last.raw;
  return CONTINUED.has(before.type) ? before.raw + last.raw : '';
}

const CONTINUED: ReadonlySet<string> = new Set(['list', 'blockquote', 'code']);

function lastParagraph(text: string): string {
  return text.slice(text.lastIndexOf('\n') + 1);
}

/**
 * Whether a text would be slow to parse, or too deep: emphasis takes quadratic time in its marks, quotes and lists in their depth; a
 * table repeats all its columns in every row.
 */
function isTangled(text: string): boolean {
  return (
    text.length > LIMITS.length ||
    count(text, /[*_~]/g) > LIMITS.marks ||
    count(text, /\|/g) > LIMITS.cells ||
    count(text, /[[\]()<>`]/g) > LIMITS.brackets ||
    /^(?:[ \t]|>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])){60}/m.test(text)
  );
}

const LIMITS = { length: 40_000, marks: 2_000, cells: 10_000, brackets: 4_000 };

function count(text: string, mark: RegExp): number {
  return text.match(mark)?.length ?? 0;
}
