/**
 * The texts of the page: a folder for each language, with the same files. English says which texts there are; the compiler
 * holds every other language against it.
 */

/** The same keys with other texts. */
export type Texts<Part> = {
  readonly [Key in keyof Part]: Part[Key] extends string ? string : Texts<Part[Key]>;
};
