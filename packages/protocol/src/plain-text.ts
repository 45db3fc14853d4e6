/**
 * Text from a package, a project or a model made safe to print on one line: no control characters,
 * no terminal sequences, none of the marks that make text read other than it is.
 */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;
const EACH_INVISIBLE = new RegExp(INVISIBLE, 'gu');

export function hasInvisible(text: string): boolean {
  return INVISIBLE.test(text);
}

/** Line breaks and tabs become spaces, everything else that cannot be seen a visible mark. */
export function toPlainText(text: string): string {
  return text.replace(/[\t\r\n]+/g, ' ').replace(EACH_INVISIBLE, '\uFFFD');
}
