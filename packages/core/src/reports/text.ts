/**
 * Text of strangers made fit for a document: its lines stay, nothing in it is invisible, and it is no longer than it may be.
 * Pure.
 */
import { toPlainText } from '@crewagent/protocol/plain-text';

const MAX_LINE = 2_000;

/** Names, titles, paths and sentences: one line, whatever is in them. */
export function toLine(text: string): string {
  return toPlainText(text.length > MAX_LINE ? `${cut(text, MAX_LINE)}…` : text);
}

export function toBlock(text: string, maxLength: number): string {
  const shown = text.length > maxLength ? cut(text, maxLength) : text;
  const lines = shown.split(/\r\n|\n|\r/).map((line) => toPlainText(line.replaceAll('\t', '    ')).trimEnd());
  const left = text.length - shown.length;
  return left > 0
    ? `${lines.join('\n')}\n… ${left} more characters were left out.`
    : lines.join('\n').trimEnd();
}

/** Never between the halves of a character. */
function cut(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
