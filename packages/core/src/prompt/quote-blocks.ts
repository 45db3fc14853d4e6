/**
 * Quotes texts of packages, people and models that are sent as they are: a line that starts like a block of the runtime is indented,
 * so that no text can end its block or begin another one. Pure.
 */

/** Names in capitals with an underscore, and the single words among the names of blocks on a line of their own. */
const BLOCK_LINE =
  /(^|[\n\r\v\f\u0085\u2028\u2029])(?=\p{Cf}*(?:[A-Z]+(?:_[A-Z]+)+(?=\s|$)|(?:BACKGROUND|MENU|PERSONA|PREFETCHED|ROSTER)[^\S\n\r]*(?:[\n\r\u0085\u2028\u2029]|$)))/gu;

export function quoteBlocks(text: string): string {
  return text.replace(BLOCK_LINE, '$1  ');
}
