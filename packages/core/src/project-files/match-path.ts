/**
 * Scores how well a few typed letters match a path: all must occur in it, in order. Word starts, consecutive letters
 * and hits in the file name score higher; of equal matches the shorter path wins.
 */
export interface PathQuery {
  readonly letters: string;
}

/** Ignores case, slash direction, blanks and Unicode form. */
export function toPathQuery(text: string): PathQuery {
  return { letters: text.normalize('NFC').toLowerCase().replace(/\s+/gu, '').replaceAll('\\', '/') };
}

const HIT_SCORE = 1;
/** Consecutive letters score more than a word start. */
const CONSECUTIVE_SCORE = 10;
const WORD_START_SCORE = 8;
const NAME_START_SCORE = 12;
const IN_NAME_SCORE = 4;
const CHARS_PER_POINT = 16;
/** Only this many characters at the end of a path are searched. */
const MAX_PATH_CHARS = 1_024;

/** Undefined if the path does not match. */
export function matchPath(path: string, { letters }: PathQuery): number | undefined {
  const normalized = path.normalize('NFC').slice(-MAX_PATH_CHARS);
  const folded = normalized.toLowerCase();
  if (!hasInOrder(folded, letters)) return undefined;
  // Folding may change the length; then word starts by case cannot be detected.
  const scored = folded.length === normalized.length ? normalized : folded;
  return bestScore(folded, letters, hitScores(scored)) - path.length / CHARS_PER_POINT;
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

/** Score of a hit at each index of the path. */
function hitScores(path: string): Int32Array {
  const scores = new Int32Array(path.length);
  const nameAt = path.lastIndexOf('/') + 1;
  for (let index = 0; index < path.length; index++) {
    const start = index === nameAt ? NAME_START_SCORE : isWordStart(path, index) ? WORD_START_SCORE : 0;
    scores[index] = HIT_SCORE + start + (index >= nameAt ? IN_NAME_SCORE : 0);
  }
  return scores;
}

function isWordStart(path: string, index: number): boolean {
  const [before, here] = [path.charCodeAt(index - 1), path.charCodeAt(index)];
  if (index === 0 || isSeparator(before)) return !isSeparator(here);
  return (isUpper(here) && !isUpper(before)) || (isDigit(here) && !isDigit(before));
}

function isSeparator(code: number): boolean {
  return code < 128 && !isDigit(code) && !isUpper(code) && !(code >= 97 && code <= 122);
}

function isUpper(code: number): boolean {
  return code >= 65 && code <= 90;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/**
 * Highest score of any alignment of the letters with the text. Dynamic programming: each row holds the best score that
 * ends at each index.
 */
function bestScore(text: string, letters: string, scores: Int32Array): number {
  if (letters === '') return 0;
  let before = new Int32Array(text.length);
  let row = new Int32Array(text.length);
  let best = 0;
  for (let index = 0; index < letters.length; index++) {
    const letter = letters.charCodeAt(index);
    let bestBefore = index === 0 ? 0 : NONE;
    best = NONE;
    for (let textIndex = 0; textIndex < text.length; textIndex++) {
      const isHit = text.charCodeAt(textIndex) === letter;
      const follows = textIndex > 0 && index > 0 ? (before[textIndex - 1] ?? NONE) : NONE;
      const score = scores[textIndex] ?? 0;
      row[textIndex] = isHit ? Math.max(bestBefore, follows + CONSECUTIVE_SCORE) + score : NONE;
      best = Math.max(best, row[textIndex] ?? NONE);
      bestBefore = Math.max(bestBefore, follows);
    }
    [before, row] = [row, before];
  }
  return best;
}

/** Lower than any sum of scores. */
const NONE = -1_000_000_000;
