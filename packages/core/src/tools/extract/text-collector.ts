/** Collects extracted text up to a limit, which is more than a model can read of one file. */

const MAX_CHARS = 2_000_000;

export interface TextCollector {
  /** Also false for text that is longer than the room that is left: the beginning of it is added. */
  add(text: string): boolean;
  result(): { readonly text: string; readonly isCut: boolean };
}

export function createTextCollector(maxChars = MAX_CHARS): TextCollector {
  const parts: string[] = [];
  let left = maxChars;
  let isCut = false;
  return {
    add(text) {
      if (isCut) return false;
      isCut = text.length > left;
      parts.push(isCut ? text.slice(0, left) : text);
      left -= text.length;
      return !isCut;
    },
    result: () => ({ text: parts.join('').trimStart(), isCut }),
  };
}

/** Text for a cell of a Markdown table: one line, with its bars escaped. */
export function toCell(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|');
}
