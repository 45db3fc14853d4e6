/**
 * How well a few typed letters fit a path: all of them must occur in it, in order. Counted are beginnings of words, letters
 * that follow each other, and hits in the name of the file; of two that fit alike the shorter one fits better.
 */
export interface Wanted {
  readonly letters: string;
}

/** Case, kind of slash, blanks and the form of accents do not count. */
export function toWanted(text: string): Wanted {
  return { letters: text.normalize('NFC').toLowerCase().replace(/\s+/gu, '').replaceAll('\\', '/') };
}

const HIT = 1;
/** More than a beginning: a word goes on where it goes on. */
const NEXT = 10;
const WORD_START = 8;
const NAME_START = 12;
const IN_NAME = 4;
const LETTERS_A_POINT = 16;
/** No text of a person's is as long; what comes after in a path is not looked at. */
const MAX_LETTERS = 1_024;

/** Undefined where it does not fit. */
export function matchPath(path: string, { letters }: Wanted): number | undefined {
  const plain = path.normalize('NFC').slice(-MAX_LETTERS);
  const folded = plain.toLowerCase();
  if (!hasInOrder(folded, letters)) return undefined;
  // Some letters become two when they are folded; then humps cannot be told.
  const shown = folded.length === plain.length ? plain : folded;
  return bestFit(folded, letters, worthsOf(shown)) - path.length / LETTERS_A_POINT;
}

function hasInOrder(text: string, letters: string): boolean {
  let from = 0;
  for (let index = 0; index < letters.length; index++) {
    const found = text.indexOf(letters.charAt(index), from);
    if (found < 0) return false;
    from = found + 1;
  }
  return true;
}

/** What a hit at each place of the path is worth. */
function worthsOf(path: string): Int32Array {
  const worths = new Int32Array(path.length);
  const nameAt = path.lastIndexOf('/') + 1;
  for (let index = 0; index < path.length; index++) {
    const start = index === nameAt ? NAME_START : isWordStart(path, index) ? WORD_START : 0;
    worths[index] = HIT + start + (index >= nameAt ? IN_NAME : 0);
  }
  return worths;
}

function isWordStart(path: string, index: number): boolean {
  const [before, here] = [path.charCodeAt(index - 1), path.charCodeAt(index)];
  if (index === 0 || isGap(before)) return !isGap(here);
  return (isUpper(here) && !isUpper(before)) || (isDigit(here) && !isDigit(before));
}

function isGap(code: number): boolean {
  return code < 128 && !isDigit(code) && !isUpper(code) && !(code >= 97 && code <= 122);
}

function isUpper(code: number): boolean {
  return code >= 65 && code <= 90;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** The worth of the best way to lay the letters into the text: row by row, each with the best that ends at each place. */
function bestFit(text: string, letters: string, worths: Int32Array): number {
  if (letters === '') return 0;
  let before = new Int32Array(text.length);
  let row = new Int32Array(text.length);
  let best = 0;
  for (let index = 0; index < letters.length; index++) {
    const letter = letters.charCodeAt(index);
    let bestBefore = index === 0 ? 0 : NONE;
    best = NONE;
    for (let place = 0; place < text.length; place++) {
      const isHit = text.charCodeAt(place) === letter;
      const follows = place > 0 && index > 0 ? (before[place - 1] ?? NONE) : NONE;
      const worth = worths[place] ?? 0;
      row[place] = isHit ? Math.max(bestBefore, follows + NEXT) + worth : NONE;
      best = Math.max(best, row[place] ?? NONE);
      bestBefore = Math.max(bestBefore, follows);
    }
    [before, row] = [row, before];
  }
  return best;
}

/** Stays far below any sum. */
const NONE = -1_000_000_000;
