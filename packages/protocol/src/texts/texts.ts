/**
 * Texts that the page, the terminal and exports share: one folder per language, with the same files. English defines the keys; the
 * compiler checks the other languages against it.
 */

/** The same keys with other texts. A language without a singular form leaves `_one` out. */
export type Texts<Part> = {
  readonly [Key in Exclude<keyof Part, Singular>]: Part[Key] extends string ? string : Texts<Part[Key]>;
} & { readonly [Key in keyof Part & Singular]?: string };

type Singular = `${string}_one`;

/** The keys of all texts, as paths; `undo` stands for `undo_one` and `undo_other`. */
export type KeyOf<Part> = {
  [Key in keyof Part & string]: Part[Key] extends string ? WithoutCount<Key> : `${Key}.${KeyOf<Part[Key]>}`;
}[keyof Part & string];

type WithoutCount<Key extends string> = Key extends `${infer Base}_${'one' | 'other'}` ? Base : Key;

/** Joins sentences with a space, except after full-width punctuation, which includes its own. */
export function joinSentences(...sentences: readonly (string | undefined)[]): string {
  return sentences.filter(Boolean).join(' ').replaceAll('。 ', '。');
}
