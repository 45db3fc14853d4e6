/**
 * Limits how much text is rendered at once: a megabyte of tool output must not block the page.
 */
export const FIRST_CHARS = 20_000;
export const MORE_CHARS = 200_000;
const MAX_LINE_CHARS = 4_000;

export interface ShownPart {
  readonly text: string;
  readonly hiddenChars: number;
}

export function toShownPart(text: string, chars: number): ShownPart {
  const end = text.length <= chars ? text.length : wholeEnd(text, chars);
  return { text: breakLongLines(text.slice(0, end)), hiddenChars: text.length - end };
}

/** Never splits a surrogate pair. */
function wholeEnd(text: string, end: number): number {
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}

/** Browsers lay out a line in one pass; a line of a megabyte takes seconds. */
function breakLongLines(text: string): string {
  if (text.length <= MAX_LINE_CHARS) return text;
  return text
    .split('\n')
    .map((line) => (line.length <= MAX_LINE_CHARS ? line : (line.match(PIECES) ?? []).join('\n')))
    .join('\n');
}

const PIECES = new RegExp(`.{1,${MAX_LINE_CHARS}}`, 'gsu');
