/**
 * Type of the texts: one folder per language, with the same files. English defines the keys; the compiler checks the other
 * languages against it.
 */

/** The same keys with other texts. */
export type Texts<Part> = {
  readonly [Key in keyof Part]: Part[Key] extends string ? string : Texts<Part[Key]>;
};
