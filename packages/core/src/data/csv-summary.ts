/**
 * Summarises CSV: delimiter, column names and number of rows. Quoted fields may contain anything, including line
 * breaks. Pure.
 */
import { broken, counted, type DataSummary, type DataText, summarized, toNameList } from './data-summary.ts';

const SEPARATED = { ',': '', ';': '; separated by ";"', '\t': '; separated by tabs' } as const;
type Delimiter = keyof typeof SEPARATED;
const DELIMITERS = Object.keys(SEPARATED) as Delimiter[];

/** Further names are never shown. */
const MAX_NAMES = 100;

export function summariseCsv({ text, isWhole }: DataText): DataSummary {
  const delimiter = findDelimiter(text);
  const columns: string[] = [];
  /** Number of fields in the header; 0 until it was read. */
  let columnCount = 0;
  let rows = 0;
  let uneven = 0;
  let start = 0;
  let width = 0;
  for (let at = 0; at <= text.length && start < text.length; ) {
    const field = readField(text, at, delimiter);
    if (field.error !== undefined) {
      if (field.isUnclosed && !isWhole) break;
      return broken(text, field.to, field.error);
    }
    if (columnCount === 0 && width < MAX_NAMES)
      columns.push(text.slice(field.from, field.to).replaceAll('""', '"').trim());
    width++;
    at = field.end + 1;
    if (text.charAt(field.end) === delimiter) continue;
    // The last row of a truncated text may be incomplete.
    if (!isWhole && field.end >= text.length) break;
    if (width === 1 && text.slice(start, field.end).trim() === '') {
      if (columnCount === 0) columns.length = 0;
    } else if (columnCount === 0) columnCount = width;
    else {
      rows++;
      if (width !== columnCount) uneven++;
    }
    if (text.startsWith('\r\n', field.end)) at++;
    start = at;
    width = 0;
  }
  const count = `${counted(rows, 'row')}${isWhole ? '' : ' so far'}`;
  if (columnCount === 0) return summarized(count);
  const unevenNote = uneven === 0 ? '' : `; ${counted(uneven, 'row')} with a different number of fields`;
  return summarized(
    `${count}; columns: ${toNameList(columns, columnCount)}${SEPARATED[delimiter]}${unevenNote}`,
  );
}

/** The most frequent delimiter in the first row, outside of quotes. */
function findDelimiter(text: string): Delimiter {
  const [head = ''] = text
    .trimStart()
    .replace(/"[^"]*"/g, '')
    .split(/[\r\n]/, 1);
  const counts = DELIMITERS.map((delimiter) => head.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

interface Field {
  readonly from: number;
  readonly to: number;
  /** Offset of the delimiter or line break after the field, or of the end of the text. */
  readonly end: number;
  /** What is wrong at `to`. */
  readonly error?: string;
  readonly isUnclosed?: true;
}

function readField(text: string, from: number, delimiter: Delimiter): Field {
  if (text.charAt(from) !== '"') {
    let end = from;
    while (end < text.length && !isFieldEnd(text.charAt(end), delimiter)) end++;
    return { from, to: end, end };
  }
  let close = text.indexOf('"', from + 1);
  while (close !== -1 && text.charAt(close + 1) === '"') close = text.indexOf('"', close + 2);
  if (close === -1)
    return {
      from,
      to: from,
      end: from,
      error: 'the quote that opens here is never closed',
      isUnclosed: true,
    };
  let end = close + 1;
  while (text.charAt(end) === ' ') end++;
  return end >= text.length || isFieldEnd(text.charAt(end), delimiter)
    ? { from: from + 1, to: close, end }
    : { from, to: end, end, error: 'there is text after the closing quote of a field' };
}

function isFieldEnd(character: string, delimiter: Delimiter): boolean {
  return character === delimiter || character === '\n' || character === '\r';
}
