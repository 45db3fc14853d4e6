/** Rows and cells of a CSV or TSV text, quotes and all. What is no proper CSV becomes cells all the same. Pure. */
export interface CsvRows {
  readonly rows: readonly (readonly string[])[];
  readonly columns: number;
}

export function parseCsv(text: string, name: string): CsvRows {
  const separator = name.toLowerCase().endsWith('.tsv') ? '\t' : guessSeparator(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let at = text.startsWith('\ufeff') ? 1 : 0;
  const endRow = (): void => {
    rows.push(row);
    row = [];
  };
  while (at < text.length) {
    const { cell, end } = text[at] === '"' ? readQuoted(text, at, separator) : readPlain(text, at, separator);
    row.push(cell);
    const next = text[end];
    at = end + (text.startsWith('\r\n', end) ? 2 : 1);
    if (next === separator && at >= text.length) row.push('');
    if (next !== separator) endRow();
  }
  if (row.length > 0) endRow();
  return { rows, columns: rows.reduce((most, { length }) => Math.max(most, length), 0) };
}

interface Cell {
  readonly cell: string;
  /** Where what ends it stands. */
  readonly end: number;
}

function readPlain(text: string, start: number, separator: string): Cell {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end++;
  return { cell: text.slice(start, end), end };
}

/** A quote that is doubled is one; one that is never closed reaches to the end. */
function readQuoted(text: string, start: number, separator: string): Cell {
  let cell = '';
  let at = start + 1;
  while (true) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return { cell: cell + text.slice(at), end: text.length };
    cell += text.slice(at, quote);
    if (text[quote + 1] !== '"') {
      const rest = readPlain(text, quote + 1, separator);
      return { cell: cell + rest.cell, end: rest.end };
    }
    cell += '"';
    at = quote + 2;
  }
}

/** The one of which there are most in the first line. */
function guessSeparator(text: string): string {
  const line = /^[^\r\n]*/.exec(text.slice(0, 10_000))?.[0].replace(/"[^"]*"/g, '') ?? '';
  const count = (separator: string): number => line.split(separator).length;
  return [',', ';', '\t'].reduce((best, other) => (count(other) > count(best) ? other : best));
}
