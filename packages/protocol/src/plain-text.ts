/**
 * Text from a package, a project or a model made safe to print on one line: no control characters,
 * no terminal sequences, none of the marks that make text read other than it is.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;
const EACH_INVISIBLE = new RegExp(INVISIBLE, 'g');

export function hasInvisible(text: string): boolean {
  return INVISIBLE.test(text);
}

/** Line breaks and tabs become spaces, everything else that cannot be seen a visible mark. */
export function toPlainText(text: string): string {
  return text.replace(/[\t\r\n]+/g, ' ').replace(EACH_INVISIBLE, '\uFFFD');
}
