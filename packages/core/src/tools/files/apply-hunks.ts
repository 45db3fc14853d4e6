/**
 * Applies the hunks of a unified diff to a text, as `git apply` does: every old line must match, a hunk without context
 * lines at a file boundary must match at that boundary, the match nearest to the hunk's line number wins, and no line
 * is patched twice. Work is bounded by the sizes of file and diff, not by the line numbers in the diff. Pure.
 */
export interface Hunk {
  readonly oldStart: number;
  readonly newStart: number;
  /** Lines with their sign: ' ', '-', '+', or '\' for "No newline at end of file". */
  readonly lines: readonly string[];
}

export type HunksResult =
  | { readonly ok: true; readonly text: string }
  /** `hunk`: index of the first hunk that does not match. */
  | { readonly ok: false; readonly hunk: number; readonly reason: 'no-match' | 'too-much' };

/** Lines with equal keys match. Context lines keep the text of the file. */
export type LineKey = (line: string) => string;

/** Limit for (lines of the file) × (number of hunks). */
const MAX_WORK = 20_000_000;

export function applyHunks(
  text: string,
  hunks: readonly Hunk[],
  keyOf: LineKey = (line) => line,
): HunksResult {
  const starts = findLineStarts(text);
  const count = starts.length - 1;
  if (count * hunks.length > MAX_WORK) return { ok: false, hunk: 0, reason: 'too-much' };
  const keys = new Map<string, number>();
  const sides = hunks.map((hunk) => toSides(hunk, keyOf, keys));
  // Lines are represented by numbers: a million strings would take ten times the memory.
  let lines = Int32Array.from({ length: count }, (_, index) => index);
  let numbers = lines.map((line) => keys.get(keyOf(text.slice(starts[line], starts[line + 1]))) ?? UNKNOWN);
  const added: string[] = [];
  for (const [index, hunk] of hunks.entries()) {
    const { old, next, trailing } = sides[index] ?? NO_SIDES;
    const position = findPosition(numbers, hunk, old, trailing === 0);
    if (position === undefined) return { ok: false, hunk: index, reason: 'no-match' };
    const patched = next.map((item) =>
      typeof item === 'string' ? -added.push(item) : (lines[position + item] ?? 0),
    );
    lines = replace(lines, position, old.length, patched);
    numbers = replace(numbers, position, old.length, Array<number>(patched.length).fill(PATCHED));
  }
  return { ok: true, text: joinLines(text, starts, lines, added) };
}

/** Number of a line that occurs in no hunk. */
const UNKNOWN = -1;

/** Number of a line inserted by a hunk; later hunks do not match it. */
const PATCHED = -2;

/** Offset of each line, then the length of the text. The last line may have no line ending. */
function findLineStarts(text: string): Uint32Array {
  let count = text.length === 0 || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  const starts = new Uint32Array(count + 1);
  for (let line = 1; line < count; line++) starts[line] = text.indexOf('\n', starts[line - 1]) + 1;
  starts[count] = text.length;
  return starts;
}

/** `lines` holds indexes of lines in the text, or `-(n + 1)` for the line `added[n]`. */
function joinLines(text: string, starts: Uint32Array, lines: Int32Array, added: readonly string[]): string {
  const parts: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const first = lines[at] ?? 0;
    let end = at + 1;
    if (first < 0) parts.push(added[-first - 1] ?? '');
    else {
      while (end < lines.length && lines[end] === first + end - at) end++;
      parts.push(text.slice(starts[first], starts[first + end - at]));
    }
    at = end;
  }
  return parts.join('');
}

interface Sides {
  /** Numbers of the lines to match; equal keys have equal numbers. */
  readonly old: readonly number[];
  /** Lines after the patch: a new line, or the index in `old` of a context line. */
  readonly next: readonly (string | number)[];
  /** Number of context lines at the end of the hunk. */
  readonly trailing: number;
}

const NO_SIDES: Sides = { old: [], next: [], trailing: 0 };

function toSides({ lines }: Hunk, keyOf: LineKey, keys: Map<string, number>): Sides {
  const old: number[] = [];
  const next: (string | number)[] = [];
  let trailing = 0;
  for (const [index, signed] of lines.entries()) {
    const sign = signed[0] ?? ' ';
    if (sign === '\\') continue;
    const line = `${signed.slice(1)}${lines[index + 1]?.startsWith('\\') ? '' : '\n'}`;
    trailing = sign === '+' || sign === '-' ? 0 : trailing + 1;
    if (sign === '+') next.push(line);
    else {
      if (sign !== '-') next.push(old.length);
      old.push(numberOf(keyOf(line), keys));
    }
  }
  return { old, next, trailing };
}

function numberOf(key: string, keys: Map<string, number>): number {
  const number = keys.get(key) ?? keys.size;
  keys.set(key, number);
  return number;
}

/** Matching position nearest to the hunk's line number; of two equally near, the later. */
function findPosition(
  numbers: Int32Array,
  hunk: Hunk,
  old: readonly number[],
  isAtEnd: boolean,
): number | undefined {
  const last = numbers.length - old.length;
  if (last < 0) return undefined;
  const isAtStart = hunk.oldStart <= 1;
  const wanted = isAtStart ? 0 : isAtEnd ? last : Math.min(Math.max(hunk.newStart - 1, 0), numbers.length);
  if (isAtStart && isAtEnd && last !== 0) return undefined;
  if (matchesAt(numbers, wanted, old)) return wanted;
  if (isAtStart || isAtEnd) return undefined;
  return findNearest(numbers, old, wanted);
}

function matchesAt(numbers: Int32Array, position: number, wanted: readonly number[]): boolean {
  return (
    position + wanted.length <= numbers.length &&
    wanted.every((number, index) => numbers[position + index] === number)
  );
}

/** Knuth–Morris–Pratt search, one pass over the file. */
function findNearest(numbers: Int32Array, old: readonly number[], wanted: number): number | undefined {
  const borders = toBorders(old);
  let nearest: number | undefined;
  let matched = 0;
  for (let index = 0; index < numbers.length; index++) {
    while (matched > 0 && old[matched] !== numbers[index]) matched = borders[matched - 1] ?? 0;
    if (old[matched] === numbers[index]) matched++;
    if (matched < old.length) continue;
    const position = index - old.length + 1;
    // Of two equally near positions, the later wins.
    if (nearest !== undefined && Math.abs(position - wanted) > Math.abs(nearest - wanted)) break;
    nearest = position;
    matched = borders[matched - 1] ?? 0;
  }
  return nearest;
}

/** KMP failure function: for each prefix, the length of its longest border. */
function toBorders(wanted: readonly number[]): Uint32Array {
  const borders = new Uint32Array(wanted.length);
  let length = 0;
  for (let index = 1; index < wanted.length; index++) {
    while (length > 0 && wanted[index] !== wanted[length]) length = borders[length - 1] ?? 0;
    if (wanted[index] === wanted[length]) length++;
    borders[index] = length;
  }
  return borders;
}

function replace(
  list: Int32Array<ArrayBuffer>,
  position: number,
  removed: number,
  items: readonly number[],
): Int32Array<ArrayBuffer> {
  const replaced = new Int32Array(list.length - removed + items.length);
  replaced.set(list.subarray(0, position));
  replaced.set(items, position);
  replaced.set(list.subarray(position + removed), position + items.length);
  return replaced;
}
