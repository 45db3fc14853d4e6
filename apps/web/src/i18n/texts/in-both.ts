/**
 * How texts are written down: English and Chinese side by side, so that whoever changes one sees the other. Keys that count
 * have two forms in English; Chinese repeats its one.
 */

/** The same keys with other texts. */
type Texts<Part> = { readonly [Key in keyof Part]: Part[Key] extends string ? string : Texts<Part[Key]> };

export interface InBoth<English> {
  readonly en: English;
  readonly zhCn: Texts<English>;
}

export function inBoth<const English>(en: English, zhCn: Texts<NoInfer<English>>): InBoth<English> {
  return { en, zhCn };
}
