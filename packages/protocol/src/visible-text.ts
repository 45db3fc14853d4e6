/**
 * Makes every character of a text visible, for a person who is asked to approve it: an invisible or ambiguous character becomes
 * its code point, ⟨1B⟩, and a run of blanks that would push text out of sight its length, ⟨4,100 blanks⟩. Line feeds are kept.
 */

/**
 * Control and format characters, unassigned code points, lone surrogates, unusual spaces, variation selectors, fillers, and the
 * opening mark itself. Tabs, plain spaces and ideographic spaces are visible.
 */
const INVISIBLE =
  /[^\P{C}\t\n]|[^\P{Z} \u3000]|\p{Variation_Selector}|\u034f|[\u115f\u1160\u3164\uffa0]|\u17b4|\u17b5|\u180f|\u2800|\u27e8/gu;

/** All kinds of blanks within one line, fillers included. */
const LONG_BLANKS = /(?:[^\P{White_Space}\n]|[\u115f\u1160\u2800\u3164\uffa0]){21,}/gu;

export function toVisibleText(text: string): string {
  let shown = '';
  let end = 0;
  for (const { 0: blanks, index } of text.matchAll(LONG_BLANKS)) {
    shown += `${toMarks(text.slice(end, index))}⟨${toGrouped(blanks.length)} blanks⟩`;
    end = index + blanks.length;
  }
  return shown + toMarks(text.slice(end));
}

function toMarks(text: string): string {
  return text.replace(
    INVISIBLE,
    (character) => `⟨${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}⟩`,
  );
}

function toGrouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Reverses `toVisibleText`, with plain spaces for a long run of blanks. */
export function fromVisibleText(text: string): string {
  return text
    .replace(/⟨([\d,]+) blanks⟩/g, (_, count: string) => ' '.repeat(Number(count.replaceAll(',', ''))))
    .replace(/⟨([0-9A-F]{1,6})⟩/g, (_, number: string) => String.fromCodePoint(Number.parseInt(number, 16)));
}
