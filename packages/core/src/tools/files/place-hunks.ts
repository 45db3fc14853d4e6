/**
 * Finds where the hunks of a diff belong: at the line a hunk names if its old lines stand there, else at the only place
 * where they stand; if they stand nowhere, the same again with blanks at the ends of lines ignored; then at the only
 * place where they stand with all white space ignored. Never the second-best place. Line numbers are those of the file
 * before the diff. Pure.
 */
import type { Hunk } from './parse-diff.ts';
import type { TextLines } from './text-lines.ts';
import { decodeUnits, encodeUnits, type TextUnits } from './text-units.ts';

export interface Placed {
  readonly ok: true;
  /** Index of the first old line. */
  readonly position: number;
  /** White space at the start of lines: as the diff has it, as the file has it. */
  readonly indents: ReadonlyMap<string, string>;
}

/** Why a hunk has no place, or not one of its own. */
export type Rejection =
  | { readonly kind: 'missing' | 'insertion' }
  /** Indexes of the first lines. */
  | { readonly kind: 'ambiguous'; readonly places: readonly number[] }
  /** Index of the other hunk. */
  | { readonly kind: 'overlap'; readonly other: number };

interface Rejected {
  readonly ok: false;
  readonly rejection: Rejection;
}

/** The places of hunks of one diff; the lines of the file are numbered only if a hunk is not where it says. */
export function createPlacing(
  file: TextUnits,
  lines: TextLines,
  hunks: readonly Hunk[],
): (hunk: Hunk) => Placed | Rejected {
  const stages = STAGES.map((toKeys, index) => {
    const { ofFile, ofDiff } = toKeys(file);
    /** Equal lines have equal numbers. */
    const numbers = new Map<string, number>();
    const numberOf = (key: string): number => {
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      return number;
    };
    let fileNumbers: Int32Array | undefined;
    return {
      isExact: index < STAGES.length - 1,
      standsAt: (old: readonly string[], position: number): boolean =>
        position >= 0 &&
        position + old.length <= lines.count &&
        old.every((line, index) => ofFile(lines.at(position + index)) === ofDiff(line)),
      places(old: readonly string[]): number[] {
        if (!fileNumbers) {
          for (const hunk of hunks) for (const line of oldLinesOf(hunk)) numberOf(ofDiff(line));
          const toNumber = (_: unknown, line: number) => numbers.get(ofFile(lines.at(line))) ?? -1;
          fileNumbers = Int32Array.from({ length: lines.count }, toNumber);
        }
        return findPlaces(
          fileNumbers,
          Int32Array.from(old, (line) => numberOf(ofDiff(line))),
        );
      },
    };
  });

  const find = (old: readonly string[], named: number): Placed | Rejected => {
    for (const [index, stage] of stages.entries()) {
      // Without indentation many lines are equal, so that the number of a line alone does not decide.
      const isNamed = stage.isExact && stage.standsAt(old, named);
      const places = isNamed ? [named] : stage.places(old);
      const [position] = places;
      if (position === undefined) continue;
      // The diff may have lost blanks: then the named line is meant, not another that happens to be equal.
      if (
        places.length === 1 &&
        position !== named &&
        stages.slice(index + 1).some((looser) => looser.standsAt(old, named))
      )
        places.unshift(named);
      if (places.length > 1) return { ok: false, rejection: { kind: 'ambiguous', places } };
      const indents = index === 0 ? NO_INDENTS : toIndents(file, lines, old, position);
      return { ok: true, position, indents };
    }
    return { ok: false, rejection: { kind: 'missing' } };
  };

  let shifts: ReadonlyMap<Hunk, number> | undefined;
  return (hunk) => {
    const old = oldLinesOf(hunk);
    if (old.length === 0) {
      shifts ??= toShifts(hunks);
      return placeInsertion(hunk, shifts, lines.count);
    }
    const named = (hunk.oldStart ?? 0) - 1;
    const found = find(old, named);
    if (found.ok || found.rejection.kind !== 'missing' || !endsWithBlankContext(hunk)) return found;
    // After the last line ending many see one more line, an empty one.
    const shorter = find(old.slice(0, -1), named);
    const isAtEnd = shorter.ok && shorter.position + old.length - 1 === lines.count;
    return isAtEnd && lines.endingAt(lines.count - 1) !== '' ? shorter : found;
  };
}

type Key = (line: string) => string;

/** Compared units or, where white space is ignored, text: `\s` matches bytes of UTF-8 characters, too. */
const STAGES: readonly ((file: TextUnits) => { ofFile: Key; ofDiff: Key })[] = [
  ({ encoding }) => ({
    ofFile: (units) => units,
    ofDiff(text) {
      const encoded = encodeUnits(text, encoding);
      // Not a line of any file.
      return encoded.ok ? encoded.units : '\n';
    },
  }),
  ({ encoding }) => ({
    ofFile: (units) => decodeUnits(units, encoding).trimEnd(),
    ofDiff: (text) => text.trimEnd(),
  }),
  ({ encoding }) => ({
    ofFile: (units) => collapse(decodeUnits(units, encoding)),
    ofDiff: collapse,
  }),
];

function collapse(line: string): string {
  return line.trim().replace(/\s+/g, ' ');
}

const NO_INDENTS: ReadonlyMap<string, string> = new Map();

function endsWithBlankContext({ lines }: Hunk): boolean {
  const last = lines.at(-1);
  return last?.sign === ' ' && last.text.trim() === '' && lines.length > 1;
}

function oldLinesOf({ lines }: Hunk): string[] {
  return lines.filter(({ sign }) => sign !== '+').map(({ text }) => text);
}

/**
 * A hunk without old lines has nothing that could be checked, so its header must be unambiguous: `-3,0` is after line 3,
 * and the other number must not contradict it.
 */
function placeInsertion(hunk: Hunk, shifts: ReadonlyMap<Hunk, number>, count: number): Placed | Rejected {
  const { oldStart, oldCount, newStart } = hunk;
  const placed = (position: number): Placed => ({ ok: true, position, indents: NO_INDENTS });
  if (count === 0) return placed(0);
  const isAfterLine = oldCount === 0 || oldStart === 0;
  const isConsistent =
    oldStart !== undefined &&
    (newStart === undefined ||
      newStart === oldStart + 1 ||
      newStart === oldStart + 1 + (shifts.get(hunk) ?? 0));
  return isAfterLine && isConsistent && oldStart <= count
    ? placed(oldStart)
    : { ok: false, rejection: { kind: 'insertion' } };
}

/** Lines that the hunks before a hunk add to the file. */
function toShifts(hunks: readonly Hunk[]): ReadonlyMap<Hunk, number> {
  const shifts = new Map<Hunk, number>();
  let shift = 0;
  for (const hunk of hunks.toSorted((one, other) => (one.oldStart ?? 0) - (other.oldStart ?? 0))) {
    shifts.set(hunk, shift);
    for (const { sign } of hunk.lines) shift += sign === '+' ? 1 : sign === '-' ? -1 : 0;
  }
  return shifts;
}

/** A diff with spaces for a file with tabs: its new lines get the tabs. Empty if that is not consistent. */
function toIndents(
  file: TextUnits,
  lines: TextLines,
  old: readonly string[],
  position: number,
): ReadonlyMap<string, string> {
  const indents = new Map<string, string>();
  for (const [index, line] of old.entries()) {
    if (line.trim() === '') continue;
    const [mine, theirs] = [indentOf(line), indentOf(decodeUnits(lines.at(position + index), file.encoding))];
    if ((indents.get(mine) ?? theirs) !== theirs) return NO_INDENTS;
    indents.set(mine, theirs);
  }
  return indents;
}

export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** More places are not listed. */
export const MAX_PLACES = 6;

/** Finds where a sequence occurs in another, in one pass (Knuth, Morris, Pratt), overlapping places included. */
function findPlaces(numbers: Int32Array, wanted: Int32Array): number[] {
  const borders = toBorders(wanted);
  const places: number[] = [];
  let matched = 0;
  for (let index = 0; index < numbers.length && places.length < MAX_PLACES; index++) {
    while (matched > 0 && wanted[matched] !== numbers[index]) matched = borders[matched - 1] ?? 0;
    if (wanted[matched] === numbers[index]) matched++;
    if (matched < wanted.length) continue;
    places.push(index - wanted.length + 1);
    matched = borders[matched - 1] ?? 0;
  }
  return places;
}

/** For each prefix, the length of its longest border. */
function toBorders(wanted: Int32Array): Uint32Array {
  const borders = new Uint32Array(wanted.length);
  let length = 0;
  for (let index = 1; index < wanted.length; index++) {
    while (length > 0 && wanted[index] !== wanted[length]) length = borders[length - 1] ?? 0;
    if (wanted[index] === wanted[length]) length++;
    borders[index] = length;
  }
  return borders;
}
