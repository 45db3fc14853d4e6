/**
 * Summarises a document in one line, by its format. Of a document that is not whole, JSON and YAML are not parsed. Pure.
 */
import type { DataFormat } from '@crewagent/protocol/commands';
import { toVisible } from '../prompt/data-block.ts';
import { countLines } from '../tools/files/text-lines.ts';
import { MAX_FRONTMATTER_CHARS } from '../workflow/split-frontmatter.ts';

export async function summariseData(format: DataFormat, data: DataText): Promise<DataSummary> {
  const { text, isWhole } = data;
  switch (format) {
    case 'csv':
      return summariseCsv(data);
    case 'xml':
      return summariseXml(data);
    case 'json':
      if (isWhole) return summariseJson(text);
      break;
    case 'yaml':
      if (isWhole) return summariseYaml(text);
      break;
    case 'text':
  }
  return summarized(describeLines(data));
}

export interface DataText {
  readonly text: string;
  /** False if only the beginning of the file was read; then a truncated end is not an error. */
  readonly isWhole: boolean;
}

export type DataSummary =
  | { readonly kind: 'summary'; readonly summary: string; readonly note?: string }
  /** The structure is not analysed, for the reason in `note`; treated as plain text. */
  | { readonly kind: 'as-text'; readonly note: string }
  | { readonly kind: 'broken'; readonly reason: string; readonly location: TextLocation };

interface TextLocation {
  readonly line: number;
  readonly column?: number;
}

function summarized(summary: string): DataSummary {
  return { kind: 'summary', summary };
}

function broken(text: string, offset: number, reason: string): DataSummary {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line++;
    start = at + 1;
  }
  return { kind: 'broken', reason, location: { line, column: offset - start + 1 } };
}

const MAX_NAMES = 20;
const MAX_NAME_CHARS = 40;

/** `a, b, c and 4 more` */
function toNameList(names: readonly string[], count = names.length): string {
  const shown = names.slice(0, MAX_NAMES);
  const omitted = count - shown.length;
  return `${shown.map(toName).join(', ')}${omitted > 0 ? ` and ${omitted} more` : ''}`;
}

/** Unquoted if unambiguous, otherwise a JSON string; truncated. */
function toName(name: string): string {
  const short = name.length > MAX_NAME_CHARS ? `${name.slice(0, MAX_NAME_CHARS)}…` : name;
  const isUnambiguous =
    /^[\p{L}\p{N}_@$#:.…/-](?:[\p{L}\p{M}\p{N}_@$#:.…/ -]*[\p{L}\p{M}\p{N}_@$#:.…/-])?$/u.test(short);
  return isUnambiguous ? short : toVisible(JSON.stringify(short));
}

/** `1 row`, `12 rows` */
function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `12 lines`, `12 lines so far` */
export function describeLines({ text, isWhole }: DataText): string {
  return `${counted(countLines(text), 'line')}${isWhole ? '' : ' so far'}`;
}

const SEPARATED = { ',': '', ';': '; separated by ";"', '\t': '; separated by tabs' } as const;
type Delimiter = keyof typeof SEPARATED;
const DELIMITERS = Object.keys(SEPARATED) as Delimiter[];

/** Further names are never shown. */
const MAX_COLUMNS = 100;

/** Delimiter, column names and number of rows. Quoted fields may contain anything, including line breaks. */
function summariseCsv({ text, isWhole }: DataText): DataSummary {
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
    if (columnCount === 0 && width < MAX_COLUMNS)
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

function summariseJson(text: string): DataSummary {
  try {
    return summarized(describeValue(JSON.parse(text)));
  } catch {
    const offset = findInvalid(text);
    return broken(text, offset, offset < text.length ? 'this is not expected here' : 'it ends too early');
  }
}

/** Offset of the first character that no valid JSON has there; the length of a text that only ends too early. */
function findInvalid(text: string): number {
  let valid = 0;
  let invalid = text.length + 1;
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2);
    if (isBeginning(text.slice(0, middle))) valid = middle;
    else invalid = middle;
  }
  return valid;
}

/** `JSON.parse` reports the first error: of a text that only lacks its end, that is its end. */
function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as SyntaxError;
    const [, position] = /at position (\d+)/.exec(message) ?? [];
    return position === undefined ? message.includes('end of JSON') : Number(position) >= text.length;
  }
}

/** By the root element. The document is not parsed: nothing is validated, expanded or fetched. */
function summariseXml(data: DataText): DataSummary {
  const [, root] = /<([\p{L}_:][\p{L}\p{M}\p{N}_:.·-]*)/u.exec(withoutProlog(data.text)) ?? [];
  return summarized(
    `${root === undefined ? 'no element' : `root <${toName(root)}>`}; ${describeLines(data)}`,
  );
}

/** Comments may contain anything that looks like an element. */
function withoutProlog(text: string): string {
  let rest = text.trimStart();
  while (rest.startsWith('<!--') || rest.startsWith('<?')) {
    const end = rest.startsWith('<?') ? '?>' : '-->';
    const at = rest.indexOf(end);
    if (at === -1) return '';
    rest = rest.slice(at + end.length).trimStart();
  }
  return rest;
}

/** The outermost shape of a JSON or YAML value, in words. */
function describeValue(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${counted(value.length, 'item')}${describeFirst(value)}`;
  if (!isObject(value)) return describeScalar(value);
  const keys = Object.keys(value);
  return keys.length === 0
    ? 'an object without keys'
    : `an object with ${counted(keys.length, 'key')}: ${toNameList(keys)}`;
}

function describeFirst([first, ...others]: readonly unknown[]): string {
  if (first === undefined && others.length === 0) return '';
  if (Array.isArray(first)) return '; the first is an array';
  if (!isObject(first)) return `; the first is ${describeScalar(first)}`;
  const keys = Object.keys(first);
  return keys.length === 0
    ? '; the first is an object without keys'
    : `; keys of the first: ${toNameList(keys)}`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function describeScalar(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint') return 'a number';
  if (typeof value === 'boolean') return 'true or false';
  return value === null || value === undefined ? 'null' : 'a string';
}

/** With the parsers used for packages, which are loaded only for YAML: the full one is large. */
async function summariseYaml(text: string): Promise<DataSummary> {
  const [{ parsePlainYaml }, { parseFullYaml }] = await Promise.all([
    import('../workflow/plain-yaml.ts'),
    import('../workflow/full-yaml.ts'),
  ]);
  const plain = parsePlainYaml(text);
  if (plain) return summarized(describeValue(plain));
  if (text.length > MAX_FRONTMATTER_CHARS)
    return { kind: 'as-text', note: 'it is too long to be parsed; it is treated as text' };
  // A value that is not a map is indented below a key: the parser of frontmatter accepts maps only.
  const map = parseFullYaml(text);
  if (map.ok) return summarized(describeValue(map.value));
  const parsed =
    map.kind === 'unreadable' ? map : parseFullYaml(`${WRAP}:\n${text.replace(/^(?=.)/gm, ' ')}`);
  if (parsed.ok) return summarized(describeValue(parsed.value[WRAP]));
  const line = parsed.line - (parsed === map ? FENCE_LINES : FENCE_LINES + 1);
  const lines = text.trimEnd().split('\n').length;
  return { kind: 'broken', reason: parsed.reason, location: { line: Math.min(Math.max(line, 1), lines) } };
}

const WRAP = 'value';
/** The parser of frontmatter counts the fence above the text. */
const FENCE_LINES = 1;
