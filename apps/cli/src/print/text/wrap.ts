/**
 * Wraps a line between words to the width of the terminal, with its own indent. Colours of ours have no width. Pure.
 */
import { cellsOf } from './cells.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what this looks for
const COLOUR = /\u001b\[[\d;]*m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what this looks for
const PIECES = /(?:\u001b\[[\d;]*m)+| +|[^ \u001b]+/g;
/** At the beginning of a line or of the text of a field. */
const COMMAND = /(?:^| {2})crewagent /;

/** Width of a text in cells, without its colours. */
export function shownCells(text: string): number {
  return cellsOf(text.replace(COLOUR, ''));
}

/**
 * The lines of a text of one line. `indent`: of the further lines; by default to the text of the first. A command,
 * and a word that is longer than a line, stays whole, so that it can be copied: the terminal breaks it. Without a width there is one line.
 */
export function wrapLine(line: string, width: number | undefined, indent = indentOf(line)): string[] {
  if (width === undefined || shownCells(line) <= width || COMMAND.test(line.replace(COLOUR, '')))
    return [line];
  const lines: string[] = [];
  let [current, cells, spaces] = ['', 0, ''];
  let isStart = true;
  const colours = createColours();
  const add = (piece: string, pieceCells: number): void => {
    if (!isStart && cells + spaces.length + pieceCells > width) {
      lines.push(current + colours.end());
      [current, cells, spaces] = [indent + colours.again(), shownCells(indent), ''];
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
      colours.add(piece);
    } else if (piece.startsWith(' ')) spaces += piece;
    else for (const word of toWords(piece)) add(word, cellsOf(word));
  }
  return [...lines, current + (isStart ? spaces : '')];
}

/** The colours in effect, by the code that ends each: a line break ends them, so that no indent is underlined. */
function createColours() {
  const active = new Map<string, string>();
  return {
    add(sequences: string): void {
      for (const [sequence, code = ''] of sequences.matchAll(/.\[(\d+)m/g)) {
        const end = ENDS[code] ?? '39';
        if (Object.values(ENDS).includes(code) || code === '39') active.delete(code);
        else active.set(end, sequence);
      }
    },
    end: (): string => [...active.keys()].map((code) => `\u001b[${code}m`).join(''),
    again: (): string => [...active.values()].join(''),
  };
}

const ENDS: Readonly<Record<string, string>> = { 1: '22', 2: '22', 3: '23', 4: '24', 9: '29' };

/** East Asian text wraps between any two wide characters. */
function toWords(text: string): string[] {
  if (!/[\u1100-\uffff]/.test(text)) return [text];
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

/** To the text after a name in a column, or after a mark; else as the line itself. */
function indentOf(line: string): string {
  const plain = line.replace(COLOUR, '');
  const [lead = ''] = /^ *\S+ {2,}(?=\S)/.exec(plain) ?? /^ *(?:[?›│•·✖✎✔✓▸→!…+◆] )?/.exec(plain) ?? [];
  return ' '.repeat(cellsOf(lead));
}
