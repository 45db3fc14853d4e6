/** Rows and cells of a CSV or TSV text, quotes and all. What is no proper CSV becomes cells all the same. Pure. */
export interface CsvRows {
  readonly rows: readonly (readonly string[])[];
  readonly columns: number;
}

export function parseCsv(text: string, name: string): CsvRows {
  const separator = name.toLowerCase().endsWith('.tsv') ? '\t' : guessSeparator(text);
  const rows: string[][] = [];
  const pattern = toCellPattern(separator);
  pattern.lastIndex = text.startsWith('\ufeff') ? 1 : 0;
  let isNewRow = true;
  while (pattern.lastIndex < text.length || !isNewRow) {
    const [, quoted = '', rest = '', end] = pattern.exec(text) ?? [];
    const cell = quoted.replaceAll('""', '"') + rest;
    if (isNewRow) rows.push([cell]);
    else rows.at(-1)?.push(cell);
    isNewRow = end !== separator;
  }
  return { rows, columns: rows.reduce((most, { length }) => Math.max(most, length), 0) };
}

/**
 * Matches one cell: text in quotes, closed or not, then text without quotes, then the end of the cell. Enough for a cell
 * of three million doubled quotes, more than a text that is shown can have.
 */
function toCellPattern(separator: string): RegExp {
  const quoted = '"([^"]*(?:""[^"]*)*)(?:"|$)';
  return new RegExp(`(?:${quoted})?([^${separator}\\r\\n]*)(${separator}|\\r\\n?|\\n|$)`, 'y');
}

/** The separator that the first line has most of. */
function guessSeparator(text: string): string {
  const line = /^[^\r\n]*/.exec(text.slice(0, 10_000))?.[0].replace(/"[^"]*"/g, '') ?? '';
  const count = (separator: string): number => line.split(separator).length;
  return [',', ';', '\t'].reduce((best, other) => (count(other) > count(best) ? other : best));
}
