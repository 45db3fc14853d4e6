/** Rows of the Markdown tables of a text, with the names of their columns. In linear time for any text. Pure. */

export interface TableRow {
  /** From 0. */
  readonly line: number;
  /** As written. */
  readonly text: string;
  readonly header: readonly string[];
  /** Without marks; of a link its target. */
  readonly cells: readonly string[];
}

const MAX_LINE = 4_000;

export function tableRows(text: string): TableRow[] {
  let header: readonly string[] | undefined;
  return text.split('\n').flatMap((line, index): TableRow[] => {
    if (line.length > MAX_LINE || !/^\s*\|.*\|\s*$/.test(line)) {
      header = undefined;
      return [];
    }
    const cells = line
      .trim()
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map(toCell);
    const names = header;
    header ??= cells;
    if (!names || cells.every((cell) => /^:?-+:?$/.test(cell))) return [];
    return [{ line: index, text: line, header: names, cells }];
  });
}

function toCell(text: string): string {
  return text
    .replace(/\[[^\]]{0,200}\]\(([^)\s]{1,300})\)/g, '$1')
    .replace(/[`*]/g, '')
    .replaceAll('\\|', '|')
    .trim();
}

/** The cell of the first column whose name matches; undefined if there is no such column. */
export function cellOf({ header, cells }: TableRow, column: RegExp): string | undefined {
  const at = header.findIndex((name) => column.test(name));
  return at < 0 ? undefined : (cells[at] ?? '');
}
