/** The width of a text on the terminal, in cells. Pure. */
import { eastAsianWidth } from 'get-east-asian-width';

const COMBINING = /\p{Mn}|\p{Me}/u;

export function cellsOf(text: string): number {
  let cells = 0;
  for (const character of text) {
    // Fast path: most text is plain and needs no width table.
    if (character <= '\u02ff') cells += 1;
    else if (!COMBINING.test(character)) cells += eastAsianWidth(character.codePointAt(0) ?? 0);
  }
  return cells;
}

/** Pads or truncates a text to a number of cells. */
export function fit(text: string, cells: number): string {
  const missing = cells - cellsOf(text);
  if (missing >= 0) return text + ' '.repeat(missing);
  let cut = '';
  let used = 0;
  for (const character of text) {
    const more = cellsOf(character);
    if (used + more > cells - 1) break;
    cut += character;
    used += more;
  }
  return `${cut}…${' '.repeat(Math.max(0, cells - used - 1))}`;
}
