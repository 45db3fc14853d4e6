/**
 * Formats a streamed reply: indented, wrapped between words, without control characters. Chunks may end anywhere, even in
 * the middle of a character.
 */
import { hasInvisible } from '@crewagent/protocol/plain-text';
import { cellsOf } from './cells.ts';

export interface ReplyStream {
  /** Text to print now. */
  push(piece: string): string;
  /** Flushes the remaining text, without a final line break. */
  end(): string;
  /** Whether what was printed ends in the middle of a line. */
  readonly isMidLine: boolean;
  /** Text that waits to be printed. */
  readonly unfinished: string;
}

/** `width`: of the terminal; lines are not wrapped without it. */
export function createReplyStream({
  indent,
  width = Number.POSITIVE_INFINITY,
}: {
  readonly indent: string;
  readonly width: number | undefined;
}): ReplyStream {
  let held = '';
  let breaks = 0;
  let spaces = '';
  let word = '';
  let wordCells = 0;
  let column = 0;
  let hasBegun = false;

  const flushWord = (): string => {
    if (word === '') return '';
    const lead = hasBegun ? '\n'.repeat(breaks) : '';
    if (breaks > 0 || !hasBegun) column = 0;
    const isFull = column > 0 && column + spaces.length + wordCells > width;
    const gap = column === 0 ? `${indent}${spaces}` : isFull ? `\n${indent}` : spaces;
    column = (isFull ? indent.length : column + gap.length) + wordCells;
    const flushed = `${lead}${gap}${word}`;
    [word, wordCells, spaces, breaks, hasBegun] = ['', 0, '', 0, true];
    return flushed;
  };

  const pushCharacter = (character: string): string => {
    if (character === '\n') {
      const flushed = flushWord();
      breaks++;
      spaces = '';
      return flushed;
    }
    if (character === ' ' || character === '\t') {
      const flushed = flushWord();
      spaces += character === '\t' ? '  ' : ' ';
      return flushed;
    }
    const seen = hasInvisible(character) ? '\uFFFD' : character;
    const cells = cellsOf(seen);
    // East Asian text wraps between any two wide characters.
    const before = cells === 2 ? flushWord() : '';
    word += seen;
    wordCells += cells;
    return cells === 2 ? before + flushWord() : before;
  };

  return {
    /** A word is held back until it is known whether it fits on the line. */
    push(piece: string): string {
      const text = held + piece;
      // A surrogate waits for its other half, a carriage return for its line feed.
      const isSplit = /[\uD800-\uDBFF\r]$/.test(text);
      held = isSplit ? text.slice(-1) : '';
      const whole = (isSplit ? text.slice(0, -1) : text).replace(/\r\n?/g, '\n');
      let out = '';
      for (const character of whole) out += pushCharacter(character);
      return out;
    },
    end(): string {
      const tail = held === '' || held === '\r' ? '' : pushCharacter('\uFFFD');
      held = '';
      return tail + flushWord();
    },
    get isMidLine(): boolean {
      return hasBegun;
    },
    unfinished: '',
  };
}
