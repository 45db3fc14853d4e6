/**
 * Summarises CSV: delimiter, column names and number of rows. Quoted fields may contain anything, including line
 * breaks. Pure.
 */
import { broken, counted, type DataSummary, type DataText, summarized, toNameList } from './data-summary.ts';

export function summariseCsv({ text, isWhole }: DataText): DataSummary {
  const delimiter = findDelimiter(text);
  const table: Table = { columns: [], width: 0, rows: 0, uneven: 0 };
  let at = 0;
  while (at < text.length) {
    const row = readRow(text, at, { delimiter, collectsNames: table.width === 0 });
    if (row.kind === 'unclosed') {
      if (!isWhole) break;
      return broken(text, row.offset, 'the quote that opens here is never closed');
    }
    if (row.kind === 'stray')
      return broken(text, row.offset, 'there is text after the closing quote of a field');
    // The last row of a truncated text may be incomplete.
    if (!isWhole && row.end >= text.length) break;
    at = row.end;
    if (!row.isBlank) addRow(table, row);
  }
  return summarized(describeTable(table, delimiter, isWhole));
}

interface Table {
  columns: readonly string[];
  width: number;
  rows: number;
  /** Rows with more or fewer fields than the header. */
  uneven: number;
}

function addRow(table: Table, { names, width }: ParsedRow): void {
  if (table.width === 0) {
    table.columns = names;
    table.width = width;
    return;
  }
  table.rows++;
  if (width !== table.width) table.uneven++;
}

const DELIMITERS = [',', ';', '\t'] as const;
type Delimiter = (typeof DELIMITERS)[number];
const SEPARATED: Readonly<Record<Delimiter, string>> = {
  ',': '',
  ';': '; separated by ";"',
  '\t': '; separated by tabs',
};

function describeTable(
  { columns, width, rows, uneven }: Table,
  delimiter: Delimiter,
  isWhole: boolean,
): string {
  const soFar = isWhole ? '' : ' so far';
  if (width === 0) return `${counted(0, 'row')}${soFar}`;
  const unevenNote = uneven === 0 ? '' : `; ${counted(uneven, 'row')} with a different number of fields`;
  return `${counted(rows, 'row')}${soFar}; columns: ${toNameList(columns, width)}${SEPARATED[delimiter]}${unevenNote}`;
}

/** The most frequent delimiter in the first row, outside of quotes. */
function findDelimiter(text: string): Delimiter {
  const counts = new Map<string, number>(DELIMITERS.map((delimiter) => [delimiter, 0]));
  let isQuoted = false;
  for (let at = text.search(/[^\r\n]/); at >= 0 && at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (character === '\n' || character === '\r') break;
    const count = counts.get(character);
    if (count !== undefined) counts.set(character, count + 1);
  }
  const most = Math.max(...counts.values());
  return DELIMITERS.find((delimiter) => counts.get(delimiter) === most) ?? ',';
}

interface ParsedRow {
  readonly kind: 'row';
  /** Offset of the next row. */
  readonly end: number;
  readonly width: number;
  readonly names: readonly string[];
  readonly isBlank: boolean;
}

type BadField =
  | { readonly kind: 'unclosed'; readonly offset: number }
  | { readonly kind: 'stray'; readonly offset: number };

type Row = ParsedRow | BadField;

/** Further names are never shown. */
const MAX_NAMES = 100;

function readRow(
  text: string,
  start: number,
  { delimiter, collectsNames }: { delimiter: Delimiter; collectsNames: boolean },
): Row {
  const names: string[] = [];
  let width = 0;
  let at = start;
  while (true) {
    const field = text.charAt(at) === '"' ? readQuoted(text, at, delimiter) : readBare(text, at, delimiter);
    if (field.kind !== 'field') return field;
    if (collectsNames && width < MAX_NAMES)
      names.push(text.slice(field.from, field.to).replaceAll('""', '"').trim());
    width++;
    at = field.end;
    if (text.charAt(at) === delimiter) {
      at++;
      continue;
    }
    const isBlank = width === 1 && text.slice(start, at).trim() === '';
    return { kind: 'row', end: skipLineBreak(text, at), width, names, isBlank };
  }
}

type Field =
  | { readonly kind: 'field'; readonly from: number; readonly to: number; readonly end: number }
  | BadField;

function readQuoted(text: string, start: number, delimiter: string): Field {
  let close = text.indexOf('"', start + 1);
  while (close !== -1 && text.charAt(close + 1) === '"') close = text.indexOf('"', close + 2);
  if (close === -1) return { kind: 'unclosed', offset: start };
  let end = close + 1;
  while (text.charAt(end) === ' ') end++;
  const next = text.charAt(end);
  if (next !== '' && next !== delimiter && next !== '\n' && next !== '\r')
    return { kind: 'stray', offset: end };
  return { kind: 'field', from: start + 1, to: close, end };
}

function readBare(text: string, start: number, delimiter: string): Field {
  let end = start;
  for (let character = text.charAt(end); character !== ''; character = text.charAt(++end)) {
    if (character === delimiter || character === '\n' || character === '\r') break;
  }
  return { kind: 'field', from: start, to: end, end };
}

/** Skips LF, CR, or CRLF. */
function skipLineBreak(text: string, at: number): number {
  return text.startsWith('\r\n', at) ? at + 2 : at + 1;
}
