/** The sheets of an Excel file, each a heading and a table of its values. Formulas are shown as their last results. */
import { type Extraction, isProtected } from './extraction.ts';
import { type OfficeParts, parseXml, readParts } from './office-file.ts';
import { createTextCollector, type TextCollector, toCell } from './text-collector.ts';

const WORKBOOK = 'xl/workbook.xml';
const RELATIONS = 'xl/_rels/workbook.xml.rels';
const STRINGS = 'xl/sharedStrings.xml';
const STYLES = 'xl/styles.xml';
const MAX_SHEETS = 100;
/** A cell far to the right makes a row of empty cells. */
const MAX_COLUMNS = 500;

export function readSheets(bytes: Uint8Array): Extraction {
  if (isProtected(bytes)) return { issue: 'encrypted' };
  const parts = readParts(
    bytes,
    (name) =>
      [WORKBOOK, RELATIONS, STRINGS, STYLES].includes(name) || /^xl\/worksheets\/[^/]+\.xml$/.test(name),
  );
  const sheets = listSheets(parts);
  if (!sheets) return { issue: 'damaged' };
  const known: Known = { strings: readStrings(parts), dateStyles: readDateStyles(parts) };
  const collector = createTextCollector();
  let isCut = sheets.length > MAX_SHEETS;
  for (const { name, part } of sheets.slice(0, MAX_SHEETS)) {
    const isFull = !collector.add(`\n## Sheet: ${name.replace(/\s+/g, ' ')}\n\n`);
    if (isFull || !addRows(part, known, collector)) {
      isCut = true;
      break;
    }
  }
  return { text: collector.result().text, isCut };
}

interface Known {
  readonly strings: readonly string[];
  /** Indexes of cell formats that show a number as a date or a time. */
  readonly dateStyles: ReadonlySet<number>;
}

/** In the order of the tabs; undefined if there is no workbook. */
function listSheets(parts: OfficeParts): { name: string; part: Uint8Array }[] | undefined {
  const workbook = parts.get(WORKBOOK);
  if (!workbook) return undefined;
  const targets = new Map<string, string>();
  const relations = parts.get(RELATIONS);
  if (relations)
    parseXml(relations, {
      open(name, attribute) {
        const target = attribute('Target') ?? '';
        if (name === 'Relationship')
          targets.set(attribute('Id') ?? '', target.startsWith('/') ? target.slice(1) : `xl/${target}`);
      },
    });
  const sheets: { name: string; part: Uint8Array }[] = [];
  parseXml(workbook, {
    open(tag, attribute) {
      if (tag !== 'sheet') return;
      const part = parts.get(targets.get(attribute('id') ?? '') ?? '');
      if (part) sheets.push({ name: attribute('name') ?? '', part });
    },
  });
  return sheets;
}

function readStrings(parts: OfficeParts): string[] {
  const strings: string[] = [];
  const part = parts.get(STRINGS);
  let text = '';
  let isText = false;
  if (part)
    parseXml(part, {
      open(name) {
        if (name === 'si') text = '';
        isText = name === 't';
      },
      close(name) {
        if (name === 'si') strings.push(text);
        isText = false;
      },
      text(more) {
        if (isText) text += more;
      },
    });
  return strings;
}

/** Formats of dates and times that every program has built in. */
const DATE_FORMATS: ReadonlySet<number> = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47]);

function readDateStyles(parts: OfficeParts): ReadonlySet<number> {
  const part = parts.get(STYLES);
  const formats = new Set(DATE_FORMATS);
  const styles = new Set<number>();
  let isCells = false;
  let index = 0;
  if (part)
    parseXml(part, {
      open(name, attribute) {
        if (name === 'numFmt') {
          // Without what is quoted, in brackets or escaped, only formats of dates contain these letters.
          const code = (attribute('formatCode') ?? '').replace(/"[^"]*"|\[[^\]]*\]|\\./g, '');
          if (/[ymdhs]/i.test(code)) formats.add(Number(attribute('numFmtId')));
        }
        if (name === 'cellXfs') isCells = true;
        if (name === 'xf' && isCells) {
          if (formats.has(Number(attribute('numFmtId')))) styles.add(index);
          index++;
        }
      },
      close(name) {
        if (name === 'cellXfs') isCells = false;
      },
    });
  return styles;
}

/** False if the text is full. */
function addRows(part: Uint8Array, { strings, dateStyles }: Known, collector: TextCollector): boolean {
  let isFull = false;
  let row: string[] = [];
  let cell = { column: 0, type: 'n', style: 0 };
  let value = '';
  let isValue = false;
  parseXml(
    part,
    {
      open(name, attribute) {
        if (name === 'row') row = [];
        else if (name === 'c') {
          const style = Number(attribute('s') ?? -1);
          cell = { column: columnOf(attribute('r')) ?? row.length, type: attribute('t') ?? 'n', style };
          value = '';
        } else if (name === 'v' || name === 't') isValue = true;
      },
      close(name) {
        if (name === 'v' || name === 't') isValue = false;
        else if (name === 'c' && cell.column < MAX_COLUMNS) {
          while (row.length < cell.column) row.push('');
          row[cell.column] = toCell(toValue(value, cell.type, dateStyles.has(cell.style), strings));
        } else if (name === 'row' && row.some((text) => text !== ''))
          isFull = !collector.add(`| ${row.join(' | ')} |\n`);
      },
      text(more) {
        if (isValue) value += more;
      },
    },
    () => isFull,
  );
  return !isFull;
}

function toValue(value: string, type: string, isDate: boolean, strings: readonly string[]): string {
  if (type === 's') return strings[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  if (type === 'n' && isDate && value !== '') return toDate(Number(value)) ?? value;
  return value;
}

const DAY_MS = 86_400_000;
/** Day 0 of Excel, for dates after its leap day that never was. */
const EPOCH_MS = Date.UTC(1899, 11, 30);

function toDate(days: number): string | undefined {
  const date = new Date(EPOCH_MS + Math.round(days * DAY_MS));
  if (Number.isNaN(date.getTime())) return undefined;
  const text = date.toISOString();
  if (days < 1) return text.slice(11, 19);
  return Number.isInteger(days) ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ');
}

/** `C7` is 2; undefined without a reference. */
function columnOf(reference: string | undefined): number | undefined {
  const [letters] = /^[A-Z]{1,3}/.exec(reference ?? '') ?? [];
  if (letters === undefined) return undefined;
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
