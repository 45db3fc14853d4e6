/** Parses CSV or TSV text, including quoted cells. Malformed text is parsed as well as possible. Pure. */
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
 * Matches one cell: quoted text, closed or not, then unquoted text, then the end of the cell. Handles a cell of three million
 * doubled quotes, more than a displayed text can contain.
 */
function toCellPattern(separator: string): RegExp {
  const quoted = '"([^"]*(?:""[^"]*)*)(?:"|$)';
  return new RegExp(`(?:${quoted})?([^${separator}\\r\\n]*)(${separator}|\\r\\n?|\\n|$)`, 'y');
}

/** The separator that occurs most often in the first line. */
function guessSeparator(text: string): string {
  const line = /^[^\r\n]*/.exec(text.slice(0, 10_000))?.[0].replace(/"[^"]*"/g, '') ?? '';
  const count = (separator: string): number => line.split(separator).length;
  return [',', ';', '\t'].reduce((best, other) => (count(other) > count(best) ? other : best));
}
