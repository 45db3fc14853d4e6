/**
 * Makes every character of a text visible, for a person who is asked to approve it: an invisible or ambiguous character becomes
 * its code point, ⟨1B⟩. Lossless and reversible.
 */

/**
 * Control and format characters, unassigned code points, lone surrogates, unusual spaces, variation selectors, fillers, and the
 * opening mark itself. Tabs, plain spaces and ideographic spaces are visible.
 */
const INVISIBLE =
  /[^\P{C}\t]|[^\P{Z} \u3000]|\p{Variation_Selector}|\u034f|[\u115f\u1160\u3164\uffa0]|\u17b4|\u17b5|\u180f|\u2800|\u27e8/gu;

export function toVisibleText(text: string): string {
  return text.replace(
    INVISIBLE,
    (character) => `⟨${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}⟩`,
  );
}

/** Reverses `toVisibleText`. */
export function fromVisibleText(text: string): string {
  return text.replace(/⟨([0-9A-F]{1,6})⟩/g, (_, number: string) =>
    String.fromCodePoint(Number.parseInt(number, 16)),
  );
}
