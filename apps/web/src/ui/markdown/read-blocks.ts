/**
 * Markdown into blocks. What cannot be read in good time, or is nested beyond reason, is one block of plain text: a text from
 * elsewhere must not hold up the page.
 */
import { Lexer, type MarkedToken } from 'marked';
import remend from 'remend';

export function readBlocks(text: string): readonly MarkedToken[] {
  if (isTangled(text)) return [toPlainBlock(text)];
  try {
    // Without extensions there are no others.
    return new Lexer({ gfm: true }).lex(text) as MarkedToken[];
  } catch {
    return [toPlainBlock(text)];
  }
}

/**
 * Reads a text that grows. Blocks that can no longer change are kept as they are, so that each word costs as much as the end
 * of the text, not as much as all of it; what is not yet closed at the end is read as if it were.
 */
export function createBlockReader(): (text: string) => readonly MarkedToken[] {
  let settled: readonly MarkedToken[] = [];
  let settledText = '';
  return (text) => {
    if (!text.startsWith(settledText)) [settled, settledText] = [[], ''];
    const rest = text.slice(settledText.length);
    const blocks = readBlocks(remend(rest, CLOSING));
    const ended = takeEnded(rest, blocks);
    const shown = [...settled, ...blocks];
    settled = [...settled, ...ended];
    settledText += ended.map(({ raw }) => raw).join('');
    return shown;
  };
}

/** Only what is open at the end is closed. A link is no link before one knows where it leads. */
const CLOSING = {
  linkMode: 'text-only',
  htmlTags: false,
  katex: false,
  singleTilde: false,
  comparisonOperators: false,
} as const;

/** All but the last two: a list that goes on after an empty line looks like a paragraph at first. */
function takeEnded(text: string, blocks: readonly MarkedToken[]): readonly MarkedToken[] {
  const places = blocks.flatMap(({ type }, place) => (type === 'space' ? [] : [place]));
  const ended = blocks.slice(0, places.at(-UNSETTLED) ?? 0);
  return text.startsWith(ended.map(({ raw }) => raw).join('')) ? ended : [];
}

const UNSETTLED = 2;

function toPlainBlock(text: string): MarkedToken {
  return { type: 'text', raw: text, text };
}

/** Emphasis is found in a time that grows with the square of its marks, and headings in that of the lines between empty ones. */
function isTangled(text: string): boolean {
  return text
    .split(EMPTY_LINE)
    .some((part) => part.length > LONGEST_PART || (part.match(MARK)?.length ?? 0) > MOST_MARKS);
}

const EMPTY_LINE = /\n[ \t]*\n/;
const MARK = /[*_~]/g;
const LONGEST_PART = 16_000;
const MOST_MARKS = 2_000;
