/** Sentences one after the other: with a space between them, unless the one before ends in a mark that brings its own. */
export function inARow(...sentences: readonly (string | undefined)[]): string {
  return sentences.filter(Boolean).join(' ').replaceAll('。 ', '。');
}
