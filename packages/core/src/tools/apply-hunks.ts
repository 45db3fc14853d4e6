/**
 * Applies the hunks of a unified diff to the lines that are really there, as `git apply` does: every old line must match, a
 * hunk without lines around it at an end of the file belongs at that end, the nearest position to its line number counts, and no
 * line is patched twice. Bounded by the sizes of file and diff, whatever the numbers in it say. Pure.
 */
export interface Hunk {
  readonly oldStart: number;
  readonly newStart: number;
  /** Each with its sign: ' ', '-', '+', or '\' for "No newline at end of file". */
  readonly lines: readonly string[];
}

export type HunksResult =
  | { readonly ok: true; readonly text: string }
  /** `hunk`: the first that does not fit, from 0. */
  | { readonly ok: false; readonly hunk: number; readonly reason: 'no-match' | 'too-much' };

/** Two lines with the same key match; the file's own line is what stays. */
export type LineKey = (line: string) => string;

/** Lines of the file times hunks. */
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
  // A million lines are kept as numbers: an array of strings would take ten times the memory.
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

/** The number of a line that no hunk names. */
const UNKNOWN = -1;

/** The number of a line that a hunk has put there: no later hunk matches it. */
const PATCHED = -2;

/** The offset of each line, and the length of the text; the last line may have no line end. */
function findLineStarts(text: string): Uint32Array {
  let count = text.length === 0 || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  const starts = new Uint32Array(count + 1);
  for (let line = 1; line < count; line++) starts[line] = text.indexOf('\n', starts[line - 1]) + 1;
  starts[count] = text.length;
  return starts;
}

/** Lines of the file by their index, added ones by the negative of their ordinal. */
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
  /** The number of each line that must be there; equal keys have equal numbers. */
  readonly old: readonly number[];
  /** The lines afterwards: a new line, or the position of an old one that stays. */
  readonly next: readonly (string | number)[];
  /** How many lines around the changes end the hunk. */
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

/** The nearest fitting position to where the hunk says it belongs; of two as near, the later one. */
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
  if (isAt(numbers, wanted, old)) return wanted;
  if (isAtStart || isAtEnd) return undefined;
  return findNearest(numbers, old, wanted);
}

function isAt(numbers: Int32Array, position: number, wanted: readonly number[]): boolean {
  return (
    position + wanted.length <= numbers.length &&
    wanted.every((number, index) => numbers[position + index] === number)
  );
}

/** In one pass over the file (Knuth, Morris and Pratt). */
function findNearest(numbers: Int32Array, old: readonly number[], wanted: number): number | undefined {
  const borders = toBorders(old);
  let nearest: number | undefined;
  let matched = 0;
  for (let index = 0; index < numbers.length; index++) {
    while (matched > 0 && old[matched] !== numbers[index]) matched = borders[matched - 1] ?? 0;
    if (old[matched] === numbers[index]) matched++;
    if (matched < old.length) continue;
    const position = index - old.length + 1;
    // Of two as near, the later one.
    if (nearest !== undefined && Math.abs(position - wanted) > Math.abs(nearest - wanted)) break;
    nearest = position;
    matched = borders[matched - 1] ?? 0;
  }
  return nearest;
}

/** For each beginning of the list, how long its longest border is. */
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
