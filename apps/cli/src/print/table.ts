/** Formats rows of text in columns, as wide as necessary up to a maximum, and lines with a name and a text; measures text in cells. */

import { eastAsianWidth } from 'get-east-asian-width';
import { type Style, type Styler, style } from '../terminal.ts';

export interface Row {
  readonly cells: readonly string[];
  /** One per column; columns without a style are dim. */
  readonly styles: readonly Style[];
  /** Text after the last column. */
  readonly suffix?: string;
}

export function toTable(rows: readonly Row[], widest: readonly number[]): string[] {
  const widths = widest.map((maximum, column) =>
    Math.min(maximum, Math.max(...rows.map(({ cells }) => cellsOf(cells[column] ?? '')))),
  );
  return rows.map(({ cells, styles, suffix = '' }) => {
    const shown = cells.map((cell, column) => style(styles[column] ?? 'dim', fit(cell, widths[column] ?? 0)));
    return `${shown.join('  ')}  ${suffix}`.trimEnd();
  });
}

/** A line with a name and a text; `width` is that of the names. */
export function toField(name: string, text: string, width: number, styler: Styler = style): string {
  return `  ${styler('dim', name.padEnd(width))}${text}`;
}

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
