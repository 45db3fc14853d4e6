/**
 * A reply as it arrives, made safe and readable: indented, broken between words, nothing in it that a terminal obeys.
 * Pieces may end anywhere, even in the middle of a character.
 */
import { hasInvisible } from '@crewagent/protocol/plain-text';
import { cellsOf } from './cells.ts';

export interface ReplyStream {
  /** What to print now; a word is held back until it is known whether it fits on the line. */
  push(text: string): string;
  /** The rest. The last line is left open unless nothing was said at all. */
  end(): string;
  /** Whether anything was printed. */
  readonly hasBegun: boolean;
}

export interface ReplyStreamOptions {
  readonly indent: string;
  /** Of the terminal; lines are not broken where it is not known. */
  readonly width: number | undefined;
}

export function createReplyStream({
  indent,
  width = Number.POSITIVE_INFINITY,
}: ReplyStreamOptions): ReplyStream {
  let held = '';
  let breaks = 0;
  let spaces = '';
  let word = '';
  let wordCells = 0;
  let column = 0;
  let hasBegun = false;

  const placeWord = (): string => {
    if (word === '') return '';
    const lead = hasBegun ? '\n'.repeat(breaks) : '';
    if (breaks > 0 || !hasBegun) column = 0;
    const isFull = column > 0 && column + spaces.length + wordCells > width;
    const gap = column === 0 ? `${indent}${spaces}` : isFull ? `\n${indent}` : spaces;
    column = (isFull ? indent.length : column + gap.length) + wordCells;
    const placed = `${lead}${gap}${word}`;
    [word, wordCells, spaces, breaks, hasBegun] = ['', 0, '', 0, true];
    return placed;
  };

  const take = (character: string): string => {
    if (character === '\n') {
      const placed = placeWord();
      breaks++;
      spaces = '';
      return placed;
    }
    if (character === ' ' || character === '\t') {
      const placed = placeWord();
      spaces += character === '\t' ? '  ' : ' ';
      return placed;
    }
    const seen = hasInvisible(character) ? '\uFFFD' : character;
    const cells = cellsOf(seen);
    // Scripts that are written in wide characters break anywhere.
    const before = cells === 2 ? placeWord() : '';
    word += seen;
    wordCells += cells;
    return cells === 2 ? before + placeWord() : before;
  };

  return {
    push(piece) {
      const text = held + piece;
      // A surrogate waits for its other half, a carriage return for its line feed.
      const isSplit = /[\uD800-\uDBFF\r]$/.test(text);
      held = isSplit ? text.slice(-1) : '';
      const whole = (isSplit ? text.slice(0, -1) : text).replace(/\r\n?/g, '\n');
      let out = '';
      for (const character of whole) out += take(character);
      return out;
    },
    end() {
      const rest = held === '' || held === '\r' ? '' : take('\uFFFD');
      held = '';
      return rest + placeWord();
    },
    get hasBegun() {
      return hasBegun;
    },
  };
}
