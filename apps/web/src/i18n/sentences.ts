/** Joins sentences with a space, except after full-width punctuation, which includes its own. */
export function joinSentences(...sentences: readonly (string | undefined)[]): string {
  return sentences.filter(Boolean).join(' ').replaceAll('。 ', '。');
}
