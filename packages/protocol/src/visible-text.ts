/**
 * Text in which every character can be seen, for a person who is asked whether it may be written: what has no picture of its
 * own, or hides between others, stands there as its number, ⟨1B⟩. Nothing is left out, and the text can be had back from it.
 */

/**
 * Controls and formats, what is assigned to nothing, half characters, spaces that are none or look like one, variation
 * selectors, fillers, and the mark itself. Tabs and plain and ideographic spaces are seen.
 */
const UNSEEN =
  /[^\P{C}\t]|[^\P{Z} \u3000]|\p{Variation_Selector}|\u034f|[\u115f\u1160\u3164\uffa0]|\u17b4|\u17b5|\u180f|\u2800|\u27e8/gu;

export function toVisibleText(text: string): string {
  return text.replace(
    UNSEEN,
    (character) => `⟨${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}⟩`,
  );
}

/** The text that was made visible. */
export function fromVisibleText(text: string): string {
  return text.replace(/⟨([0-9A-F]{1,6})⟩/g, (_, number: string) =>
    String.fromCodePoint(Number.parseInt(number, 16)),
  );
}
