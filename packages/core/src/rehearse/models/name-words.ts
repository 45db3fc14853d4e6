/** The words in the name of a variable, which its author wrote in any of the usual forms. Pure. */

/** `storyKey` → story, key */
export function toWords(name: string): string[] {
  return joinWords(name.replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1-'))
    .split('-')
    .filter(Boolean);
}

/** Lower-case letters and digits, with a hyphen between words. */
export function joinWords(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
}

/** `storyKey` → `Story key` */
export function toTitle(name: string): string {
  const words = toWords(name).join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
