/**
 * Wraps a help text to the width of the terminal: descriptions below their column, or below their name where a column would be too
 * narrow; paragraphs as a whole. Examples stay whole, so that they can be copied. Loaded only for help.
 */
import { hostProcess } from '../host-process.ts';
import { widthOf } from './print-wrapped.ts';
import { shownCells, wrapLine } from './text/wrap.ts';

export function wrapHelp(text: string, width = widthOf(hostProcess().stdout)): string {
  if (width === undefined) return text;
  return toParagraphs(text, width)
    .flatMap((line) => (shownCells(line) <= width || EXAMPLE.test(line) ? [line] : wrapEntry(line, width)))
    .join('\n');
}

const EXAMPLE = /^ *\$ /;
/** A name with the space between it and its description. */
const NAME = /^ {2}\S(?:\S| (?! ))* {2,}(?=\S)/;
/** A narrower column is hard to read. */
const MIN_COLUMN = 24;
const BELOW = ' '.repeat(6);

function wrapEntry(line: string, width: number): string[] {
  const [lead = ''] = NAME.exec(line) ?? [];
  if (lead === '') return wrapLine(line, width);
  if (width - lead.length >= MIN_COLUMN) return wrapLine(line, width, ' '.repeat(lead.length));
  return [lead.trimEnd(), ...wrapLine(BELOW + line.slice(lead.length), width, BELOW)];
}

/** Lines of one paragraph that do not fit become one line, so that each breaks where the terminal ends. */
function toParagraphs(text: string, width: number): string[] {
  const lines: string[] = [];
  let isOpen = false;
  for (const line of text.split('\n')) {
    const isText = /^[^\s:]/.test(line) && !line.endsWith(':');
    const last = lines.at(-1) ?? '';
    if (isText && isOpen && Math.max(shownCells(last), shownCells(line)) > width)
      lines[lines.length - 1] = `${last}${isWide(last.slice(-1)) ? '' : ' '}${line}`;
    else lines.push(line);
    isOpen = isText;
  }
  return lines;
}

function isWide(character: string): boolean {
  return shownCells(character) > 1;
}
