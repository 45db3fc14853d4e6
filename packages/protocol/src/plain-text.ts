/**
 * Makes text from a package, a project or a model safe to print on one line: no control characters, no terminal sequences, no
 * marks that change how text reads.
 */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;
const EACH_INVISIBLE = new RegExp(INVISIBLE, 'gu');
/** Most texts: V8 creates the patterns above when the first other one comes. */
const PRINTABLE = /^[ -~]*$/;

export function hasInvisible(text: string): boolean {
  return INVISIBLE.test(text);
}

/** Replaces line breaks and tabs by spaces, and other invisible characters by U+FFFD. */
export function toPlainText(text: string): string {
  if (PRINTABLE.test(text)) return text;
  return text.replace(/[\t\r\n]+/g, ' ').replace(EACH_INVISIBLE, '\uFFFD');
}

/**
 * The words of a line of Markdown: a title is a name, and its reader sees marks as characters. Marks that mark nothing, as in
 * `*.md` or `snake_case`, are part of the words. Titles are short: only the beginning of a long line is read, because pairs of marks
 * take quadratic time to find.
 */
export function withoutMarks(line: string): string {
  const words = line
    .slice(0, LONGEST_MARKED)
    .replace(/^\s*(?:(?:#{1,6}|>|[-*+])\s+)+/, '')
    .replace(/!?\[([^\]]*)\]\([^)\s]*(?:\s"[^"]*")?\)/g, '$1')
    .replace(/(`+)(?!`)(.*?[^`])\1(?!`)/g, '$2')
    .replace(/(\*\*|__|~~)(?=\S)(.*?\S)\1/g, '$2')
    .replace(/(?<![\p{L}\p{N}*_])([*_])(?=[^\s*_])([^*_]*?[^\s*_])\1(?![\p{L}\p{N}*_])/gu, '$2')
    .trim();
  return words === '' ? line : words + line.slice(LONGEST_MARKED);
}

const LONGEST_MARKED = 500;

/** A line for titles: without anything that cannot be seen, and without the marks of `toPlainText` for such characters. */
export function toTitleText(text: string): string {
  return toPlainText(text)
    .replace(/[\uFFFD\p{Surrogate}]/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}
