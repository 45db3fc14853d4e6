/** A table of Markdown that fits the terminal: columns as wide as their texts; where there is no room, cells wrap. Pure. */
import type { Tokens } from 'marked';
import type { Styler } from '../../terminal.ts';
import { shownCells, wrapLine } from '../text/wrap.ts';
import { renderInline } from './render-inline.ts';

export interface BlockOptions {
  readonly style: Styler;
  readonly width: number;
}

const GAP = ' │ ';
const NARROWEST = 4;

export function renderTable({ header, rows, align }: Tokens.Table, { style, width }: BlockOptions): string[] {
  const head = header.map(({ tokens }) => style('bold', renderInline(tokens, style)));
  const body = rows.map((row) => row.map(({ tokens }) => renderInline(tokens, style)));
  const widths = fitColumns(
    head.map((_, column) => Math.max(...[head, ...body].map((row) => widestLine(row[column] ?? '')))),
    width,
  );
  const gap = style('dim', GAP);
  const toLines = (row: readonly string[]): string[] => {
    const cells = widths.map((room, column) =>
      (row[column] ?? '')
        .split('\n')
        .flatMap((line) => wrapLine(line, room))
        .flatMap((line) => breakWord(line, room)),
    );
    const height = Math.max(...cells.map(({ length }) => length));
    return Array.from({ length: height }, (_, at) =>
      cells
        .map((lines, column) => pad(lines[at] ?? '', widths[column] ?? 0, align[column]))
        .join(gap)
        .trimEnd(),
    );
  };
  const bodies = body.map(toLines);
  // Rows of several lines need a line between them.
  const isTall = bodies.some(({ length }) => length > 1);
  const rule = style('dim', widths.map((room) => '─'.repeat(room)).join('─┼─'));
  return [
    ...toLines(head),
    rule,
    ...bodies.flatMap((lines, index) => (isTall && index > 0 ? [rule, ...lines] : lines)),
  ];
}

function widestLine(cell: string): number {
  return Math.max(...cell.split('\n').map(shownCells));
}

/** Takes room from the widest columns until all fit. */
function fitColumns(wanted: readonly number[], width: number): number[] {
  const widths = [...wanted];
  let excess = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1) - width;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST) break;
    const at = widths.indexOf(widest);
    const next = Math.max(NARROWEST, ...widths.filter((each) => each < widest));
    const step = Math.min(excess, Math.max(1, widest - next));
    widths[at] = widest - step;
    excess -= step;
  }
  return widths;
}

/** A word that is wider than its column would move the columns beside it. */
function breakWord(line: string, room: number): string[] {
  if (shownCells(line) <= room || line.includes('\u001b')) return [line];
  const lines: string[] = [];
  let current = '';
  for (const character of line) {
    if (shownCells(current + character) > room) {
      lines.push(current);
      current = '';
    }
    current += character;
  }
  return [...lines, current];
}

function pad(text: string, room: number, align: 'left' | 'center' | 'right' | null | undefined): string {
  const missing = Math.max(0, room - shownCells(text));
  const before = align === 'right' ? missing : align === 'center' ? Math.floor(missing / 2) : 0;
  return ' '.repeat(before) + text + ' '.repeat(missing - before);
}
