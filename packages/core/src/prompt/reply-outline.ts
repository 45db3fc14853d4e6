/**
 * Outline of a reply of the model on one line: its first sentence, the titles of its list items and headings, and its
 * last sentence, which is usually a question. Numbers stay, so that "the third one" can still be understood.
 */

const MAX_CHARS = 600;
/** Replies up to this length are not shortened. */
const MAX_WHOLE = 120;
const MAX_TITLE = 50;
/** First and last sentence together have at most a third of the reply. */
const MIN_SENTENCE = 40;
const MAX_SENTENCE = 90;
const SEPARATOR = ' | ';

export function toReplyOutline(text: string): string {
  const whole = text.replace(/\s+/g, ' ').trim();
  if (whole.length <= MAX_WHOLE) return whole;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const prose = lines.filter((line) => !ITEM.test(line));
  const chars = Math.max(MIN_SENTENCE, Math.min(MAX_SENTENCE, Math.round(whole.length / 6)));
  const first = prose[0] === lines[0] ? cut(toPlain(prose[0] ?? ''), chars) : '';
  const last = cut(lastSentence(toPlain(prose.at(-1) ?? '')), chars);
  const titles = lines.filter((line) => ITEM.test(line)).map(toTitle);
  const shown = fitting(titles, MAX_CHARS - first.length - last.length);
  const left = titles.length - shown.length;
  const parts = [first, ...shown, ...(left > 0 ? [`(${left} more)`] : []), first.includes(last) ? '' : last];
  const outline = parts.filter((part) => part !== '').join(SEPARATOR);
  return outline.length < whole.length ? outline : whole;
}

/** A heading, a list item, a row of a table, an option such as `[C] Continue`, or a line that starts in bold. */
const ITEM = /^\s*(?:[-*+•|]\s|#{1,6}\s|\d{1,3}[.)]\s|\*{0,2}\[[\p{Lu}\p{N}]{1,2}\]|\*\*)/u;

/** `3. **Night visits** – people come …` becomes `3. Night visits`. */
function toTitle(line: string): string {
  const [, marker = '', bold] = /^\s*([-*+•#|]+|\d{1,3}[.)])?\s*\*\*(.+?)\*\*/.exec(line) ?? [];
  const title = bold === undefined ? toPlain(line) : toPlain(`${marker} ${bold}`);
  return cut(title.replace(/^[-*+•#|]+\s*/, ''), MAX_TITLE);
}

function toPlain(line: string): string {
  return line
    .replace(/[*_`]{1,3}/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function lastSentence(line: string): string {
  return line.split(/(?<=[.!?])\s+|(?<=[。！？])/u).findLast((sentence) => sentence !== '') ?? '';
}

/** As many titles from the start as fit, with the separators between them. */
function fitting(titles: readonly string[], chars: number): string[] {
  const shown: string[] = [];
  let left = chars;
  for (const title of titles) {
    left -= title.length + SEPARATOR.length;
    if (left < 0) break;
    shown.push(title);
  }
  return shown;
}

/** Cuts between words where there are any. */
function cut(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const start = text.slice(0, chars);
  return `${start.replace(/(?<=.{20})\s\S*$/u, '')}…`;
}
