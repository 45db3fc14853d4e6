/** Formats rows of text in columns, as wide as necessary up to a maximum, and lines with a name and a text. */

import { hostProcess } from '../host-process.ts';
import { type Style, type Styler, style } from '../terminal.ts';
import { widthOf } from './print-wrapped.ts';
import { cellsOf, fit } from './text/cells.ts';

export interface Row {
  readonly cells: readonly string[];
  /** One per column; columns without a style are dim. */
  readonly styles: readonly Style[];
  /** Text after the last column. */
  readonly suffix?: string;
}

/** On a terminal, the widest columns give way until a row fits in one line. */
export function toTable(
  rows: readonly Row[],
  widest: readonly number[],
  room = widthOf(hostProcess().stdout),
): string[] {
  const widths = widest.map((maximum, column) =>
    Math.min(maximum, Math.max(...rows.map(({ cells }) => cellsOf(cells[column] ?? '')))),
  );
  for (let over = sumOf(widths) + 2 * (widths.length - 1) - (room ?? Infinity); over > 0; over--) {
    const most = Math.max(...widths);
    if (most <= NARROWEST) break;
    widths[widths.indexOf(most)] = most - 1;
  }
  return rows.map(({ cells, styles, suffix = '' }) => {
    const shown = cells.map((cell, column) => style(styles[column] ?? 'dim', fit(cell, widths[column] ?? 0)));
    return `${shown.join('  ')}  ${suffix}`.trimEnd();
  });
}

/** A narrower column says nothing any more. */
const NARROWEST = 8;

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** A line with a name and a text; `width` is that of the names. */
export function toField(name: string, text: string, width: number, styler: Styler = style): string {
  return `  ${styler('dim', fit(name, width))}${text}`;
}
