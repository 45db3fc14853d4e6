/** The names of the blocks in a text for a model, as a reader who goes by lines finds them. */

const BLOCK = /^\p{Cf}*([A-Z]+(?:_[A-Z]+)+(?=\s|$)|(?:BACKGROUND|MENU|PERSONA|PREFETCHED|ROSTER)\s*$)/u;

export function blocksOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/).flatMap((line) => BLOCK.exec(line)?.[1]?.trim() ?? []);
}
