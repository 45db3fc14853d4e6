/**
 * Rows of text in columns, as wide as they need to be and no wider than a screen can bear.
 */
import { cellsOf, fit } from './cells.ts';
import { type Style, style } from './terminal.ts';

export interface Row {
  readonly cells: readonly string[];
  /** One a column; what has none is dim. */
  readonly styles: readonly Style[];
  /** What has no column. */
  readonly rest?: string;
}

export function toTable(rows: readonly Row[], widest: readonly number[]): string[] {
  const widths = widest.map((most, column) =>
    Math.min(most, Math.max(...rows.map(({ cells }) => cellsOf(cells[column] ?? '')))),
  );
  return rows.map(({ cells, styles, rest = '' }) => {
    const shown = cells.map((cell, column) => style(styles[column] ?? 'dim', fit(cell, widths[column] ?? 0)));
    return `${shown.join('  ')}  ${rest}`.trimEnd();
  });
}
