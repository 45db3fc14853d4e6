/** Formats rows of text in columns, as wide as necessary up to a maximum, and lines with a name and a text. */

import { type Style, type Styler, style } from '../terminal.ts';
import { cellsOf, fit } from './text/cells.ts';

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
  return `  ${styler('dim', fit(name, width))}${text}`;
}
