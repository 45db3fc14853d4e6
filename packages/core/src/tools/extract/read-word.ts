/** The text of a Word file as Markdown: headings, lists and tables stay visible. */
import { type Extraction, isProtected } from './extraction.ts';
import { type OfficeParts, parseXml, readParts } from './office-file.ts';
import { createTextCollector, toCell } from './text-collector.ts';

const DOCUMENT = 'word/document.xml';
const STYLES = 'word/styles.xml';

export function readWord(bytes: Uint8Array): Extraction {
  if (isProtected(bytes)) return { issue: 'encrypted' };
  const parts = readParts(bytes, (name) => name === DOCUMENT || name === STYLES);
  const document = parts.get(DOCUMENT);
  if (!document) return { issue: 'damaged' };
  const levels = readHeadingLevels(parts);
  const collector = createTextCollector();
  let isFull = false;
  /** Cells of the rows of open tables, the innermost last. */
  const tables: string[][] = [];
  let cellDepth = 0;
  let paragraph = '';
  let prefix = '';
  let isText = false;
  const put = (text: string): void => {
    isFull = !collector.add(text);
  };
  const endParagraph = (): void => {
    const text = paragraph.trim();
    paragraph = '';
    const cells = tables.at(-1);
    if (cellDepth > 0 && cells) cells[cells.length - 1] = `${cells.at(-1) ?? ''} ${text}`.trim();
    else if (text !== '') put(`${prefix}${text}\n${prefix.startsWith('-') ? '' : '\n'}`);
    prefix = '';
  };
  parseXml(
    document,
    {
      open(name, attribute) {
        if (name === 't') isText = true;
        else if (name === 'tab') paragraph += '\t';
        else if (name === 'br' || name === 'cr') paragraph += '\n';
        else if (name === 'numPr' && prefix === '') prefix = '- ';
        else if (name === 'pStyle') {
          const level = levels.get(attribute('val') ?? '');
          if (level !== undefined) prefix = `${'#'.repeat(level)} `;
        } else if (name === 'tbl') tables.push([]);
        else if (name === 'tr') tables[tables.length - 1] = [];
        else if (name === 'tc') {
          cellDepth++;
          tables.at(-1)?.push('');
        }
      },
      close(name) {
        if (name === 't') isText = false;
        else if (name === 'p') endParagraph();
        else if (name === 'tc') cellDepth--;
        else if (name === 'tr') {
          const row = (tables.at(-1) ?? []).map(toCell).join(' | ');
          // A table inside of a cell is part of that cell's text.
          if (cellDepth > 0) paragraph += `${row}; `;
          else put(`| ${row} |\n`);
        } else if (name === 'tbl') {
          tables.pop();
          if (cellDepth === 0) put('\n');
        }
      },
      text(text) {
        if (isText) paragraph += text;
      },
    },
    () => isFull,
  );
  return collector.result();
}

const MAX_LEVEL = 6;

/** By the id of a style: the level of its heading. Ids are translated, names are not. */
function readHeadingLevels(parts: OfficeParts): ReadonlyMap<string, number> {
  const levels = new Map<string, number>();
  const styles = parts.get(STYLES);
  let id = '';
  if (styles)
    parseXml(styles, {
      open(name, attribute) {
        if (name === 'style') id = attribute('styleId') ?? '';
        if (name !== 'name') return;
        const [, digit] = /^heading (\d)$/i.exec(attribute('val') ?? '') ?? [];
        if (digit !== undefined) levels.set(id, Math.min(Number(digit), MAX_LEVEL));
        else if (/^title$/i.test(attribute('val') ?? '')) levels.set(id, 1);
      },
    });
  return levels;
}
