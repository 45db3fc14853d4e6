/**
 * Applies the hunks of a unified diff to the lines that are really there, as `git apply` does: every old line must match, a
 * hunk without lines around it at an end of the file belongs at that end, the nearest place to its line number counts, and no
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
const MAX_WORK = 50_000_000;

export function applyHunks(
  text: string,
  hunks: readonly Hunk[],
  keyOf: LineKey = (line) => line,
): HunksResult {
  const lines = splitLines(text);
  if (lines.length * hunks.length > MAX_WORK) return { ok: false, hunk: 0, reason: 'too-much' };
  const numbers = createNumbering(keyOf);
  let image = lines.map((line): ImageLine => ({ line, number: numbers(line), isPatched: false }));
  for (const [index, hunk] of hunks.entries()) {
    const sides = toSides(hunk, numbers);
    const place = findPlace(image, hunk, sides);
    if (place === undefined) return { ok: false, hunk: index, reason: 'no-match' };
    image = patch(image, place, sides);
  }
  return { ok: true, text: image.map(({ line }) => line).join('') };
}

interface ImageLine {
  readonly line: string;
  readonly number: number;
  readonly isPatched: boolean;
}

interface Sides {
  readonly old: readonly number[];
  /** What stands there afterwards: a new line, or the position of an old one that stays. */
  readonly next: readonly ({ readonly added: string; readonly number: number } | { readonly kept: number })[];
  readonly leading: number;
  readonly trailing: number;
}

/** Each line with its end; the last one may have none. */
function splitLines(text: string): string[] {
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  return [...lines.map((line) => `${line}\n`), ...(last === '' ? [] : [last])];
}

function createNumbering(keyOf: LineKey): (line: string) => number {
  const known = new Map<string, number>();
  return (line) => {
    const key = keyOf(line);
    const number = known.get(key) ?? known.size;
    known.set(key, number);
    return number;
  };
}

function toSides({ lines }: Hunk, numbers: (line: string) => number): Sides {
  const old: number[] = [];
  const next: Sides['next'][number][] = [];
  let leading = 0;
  let trailing = 0;
  let hasChange = false;
  for (const [index, signed] of lines.entries()) {
    const sign = signed[0] ?? ' ';
    if (sign === '\\') continue;
    const line = `${signed.slice(1)}${lines[index + 1]?.startsWith('\\') ? '' : '\n'}`;
    if (sign === '+') next.push({ added: line, number: numbers(line) });
    else {
      if (sign !== '-') next.push({ kept: old.length });
      old.push(numbers(line));
    }
    if (sign === '+' || sign === '-') {
      hasChange = true;
      trailing = 0;
    } else {
      if (!hasChange) leading++;
      trailing++;
    }
  }
  return { old, next, leading, trailing };
}

/** The nearest fitting place to where the hunk says it belongs; of two as near, the later one. */
function findPlace(image: readonly ImageLine[], hunk: Hunk, { old, trailing }: Sides): number | undefined {
  const last = image.length - old.length;
  if (last < 0) return undefined;
  const isAtStart = hunk.oldStart <= 1;
  const isAtEnd = trailing === 0;
  const patchedBefore = countPatched(image);
  const fits = (place: number): boolean =>
    !(isAtStart && place !== 0) &&
    !(isAtEnd && place !== last) &&
    patchedBefore[place + old.length] === patchedBefore[place];
  const wanted = isAtStart ? 0 : isAtEnd ? last : Math.min(Math.max(hunk.newStart - 1, 0), image.length);
  let best: number | undefined;
  for (const place of findAll(image, old)) {
    if (!fits(place)) continue;
    const distance = Math.abs(place - wanted);
    const bestDistance = best === undefined ? Number.POSITIVE_INFINITY : Math.abs(best - wanted);
    if (distance < bestDistance || (distance === bestDistance && place > wanted)) best = place;
  }
  return best;
}

function countPatched(image: readonly ImageLine[]): Uint32Array {
  const counts = new Uint32Array(image.length + 1);
  for (const [index, { isPatched }] of image.entries())
    counts[index + 1] = (counts[index] ?? 0) + (isPatched ? 1 : 0);
  return counts;
}

/** Everywhere the lines stand, in one pass (Knuth, Morris and Pratt). */
function* findAll(image: readonly ImageLine[], wanted: readonly number[]): Generator<number> {
  if (wanted.length === 0) {
    for (let place = 0; place <= image.length; place++) yield place;
    return;
  }
  const borders = toBorders(wanted);
  let matched = 0;
  for (const [index, { number }] of image.entries()) {
    while (matched > 0 && wanted[matched] !== number) matched = borders[matched - 1] ?? 0;
    if (wanted[matched] === number) matched++;
    if (matched === wanted.length) {
      yield index - wanted.length + 1;
      matched = borders[matched - 1] ?? 0;
    }
  }
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

function patch(image: readonly ImageLine[], place: number, { old, next }: Sides): ImageLine[] {
  const patched = next.map((item): ImageLine => {
    if ('added' in item) return { line: item.added, number: item.number, isPatched: true };
    const kept = image[place + item.kept];
    if (!kept) throw new Error('a hunk was put where it does not fit');
    return { ...kept, isPatched: true };
  });
  return [...image.slice(0, place), ...patched, ...image.slice(place + old.length)];
}
