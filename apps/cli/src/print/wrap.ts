/**
 * Wraps a line between words to the width of the terminal, with its own indent. Colours of ours have no width. Pure.
 */
import { cellsOf } from './table.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what this looks for
const COLOUR = /\u001b\[[\d;]*m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what this looks for
const PIECES = /(?:\u001b\[[\d;]*m)+| +|[^ \u001b]+/g;

/** Width of a text in cells, without its colours. */
export function shownCells(text: string): number {
  return cellsOf(text.replace(COLOUR, ''));
}

/**
 * The lines of a text of one line. `indent`: of the further lines; by default that of the line itself. A word that is longer
 * than a line stays whole, so that it can be copied: the terminal breaks it. Without a width there is one line.
 */
export function wrapLine(line: string, width: number | undefined, indent = indentOf(line)): string[] {
  if (width === undefined || shownCells(line) <= width) return [line];
  const lines: string[] = [];
  let [current, cells, spaces] = ['', 0, ''];
  let isStart = true;
  const add = (piece: string, pieceCells: number): void => {
    if (!isStart && cells + spaces.length + pieceCells > width) {
      lines.push(current);
      [current, cells, spaces] = [indent, shownCells(indent), ''];
    }
    current += spaces + piece;
    cells += spaces.length + pieceCells;
    spaces = '';
    isStart = false;
  };
  for (const [piece] of line.matchAll(PIECES)) {
    if (piece.startsWith('\u001b')) {
      // A colour that ends belongs to the word before it.
      current += spaces + piece;
      cells += spaces.length;
      spaces = '';
    } else if (piece.startsWith(' ')) spaces += piece;
    else for (const word of toWords(piece)) add(word, cellsOf(word));
  }
  return [...lines, current + (isStart ? spaces : '')];
}

/** East Asian text wraps between any two wide characters. */
function toWords(text: string): string[] {
  const words: string[] = [];
  let word = '';
  for (const character of text) {
    const isWide = cellsOf(character) === 2;
    // Closing punctuation stays with the character before it.
    if (isWide && !CLOSING.includes(character)) {
      if (word !== '') words.push(word);
      word = character;
    } else if (word !== '' && cellsOf(word.slice(-1)) === 2 && !CLOSING.includes(character)) {
      words.push(word);
      word = character;
    } else word += character;
  }
  if (word !== '') words.push(word);
  return words;
}

const CLOSING = '，。、；：？！）》」』”’…';

function indentOf(line: string): string {
  return /^ */.exec(line.replace(COLOUR, ''))?.[0] ?? '';
}
