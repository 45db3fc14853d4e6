/**
 * Texts of packages, people and models in a message: on one line, or quoted, so that no text can end its block or begin another one.
 * Pure.
 */

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The end says more than the beginning: a question, a wish, a conclusion. */
export function endOfLine(text: string, chars: number): string {
  const line = oneLine(text);
  return line.length > chars ? `…${line.slice(-chars)}` : line;
}

/** Names in capitals with an underscore, and the single words among the names of blocks on a line of their own. */
const BLOCK_LINE =
  /(^|[\n\r\v\f\u0085\u2028\u2029])(?=\p{Cf}*(?:[A-Z]+(?:_[A-Z]+)+(?=\s|$)|(?:BACKGROUND|MENU|PERSONA|PREFETCHED|ROSTER)[^\S\n\r]*(?:[\n\r\u0085\u2028\u2029]|$)))/gu;

/** Indents every line that starts like a block of the runtime. */
export function quoteBlocks(text: string): string {
  return text.replace(BLOCK_LINE, '$1  ');
}
