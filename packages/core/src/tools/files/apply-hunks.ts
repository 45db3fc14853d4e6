/**
 * Applies the hunks of a diff to a text: all of them or none, each at its place (see `place-hunks.ts`). Only changed
 * lines are written. Work is bounded by the sizes of file and diff, not by the numbers in the diff. Pure.
 */
import type { Hunk } from './parse-diff.ts';
import { createPlacing, indentOf, MAX_PLACES, type Placed, type Rejection } from './place-hunks.ts';
import { createTextLines, type TextLines } from './text-lines.ts';
import { decodeUnits, encodeUnits, type TextUnits } from './text-units.ts';

/** The text after an edit, or why it was not made. */
export type EditedUnits =
  | { readonly ok: true; readonly units: string }
  | { readonly ok: false; readonly reason: string };

/** Limit for (lines of the file) × (number of hunks). */
const MAX_WORK = 20_000_000;

export function applyHunks(file: TextUnits, hunks: readonly Hunk[]): EditedUnits {
  const lines = createTextLines(file.units);
  if (lines.count * hunks.length > MAX_WORK)
    return reject(
      'the diff has too many hunks for a file of this length; send fewer hunks, or rewrite the file with fs.write',
    );
  const place = createPlacing(file, lines, hunks);
  const splices: Splice[] = [];
  for (const [index, hunk] of hunks.entries()) {
    const placed = place(hunk);
    if (!placed.ok) return reject(explainRejection(placed.rejection, { file, lines, hunks, index }));
    const made = toSplices(hunk, placed, { file, lines });
    if ('character' in made) return reject(unencodableReason(made.character, file.encoding));
    for (const splice of made) splices.push({ ...splice, hunk: index });
  }
  splices.sort((one, other) => one.start - other.start || one.end - other.end);
  const overlap = findOverlap(splices);
  if (overlap) {
    const rejection = { kind: 'overlap', other: overlap[0] } as const;
    return reject(explainRejection(rejection, { file, lines, hunks, index: overlap[1] }));
  }
  return { ok: true, units: spliced(file.units, lines, splices) };
}

export function unencodableReason(character: string, encoding: TextUnits['encoding']): string {
  const point = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  if (encoding !== 'latin1') return `the new text has half a character (${point}), which no file can contain`;
  return `the file is not UTF-8 but an 8-bit encoding, which does not have "${character}" (${point}); leave this character out, or rewrite the whole file with fs.write, which makes it UTF-8`;
}

/** Replaces the lines from `start` to before `end`. */
interface Splice {
  readonly start: number;
  readonly end: number;
  readonly units: string;
  readonly hunk: number;
}

/** One splice for each run of changed lines; context lines are not touched. */
function toSplices(
  { lines: hunkLines }: Hunk,
  { position, indents }: Placed,
  { file, lines }: { readonly file: TextUnits; readonly lines: TextLines },
): Omit<Splice, 'hunk'>[] | { readonly character: string } {
  const made: Omit<Splice, 'hunk'>[] = [];
  const eol = lines.endingAt(position) || lines.endingAt(position - 1) || '\n';
  const saysOldHasNone = hunkLines.some(({ sign, hasNoNewline }) => sign !== '+' && hasNoNewline);
  let at = position;
  let run: { start: number; added: string[]; hasNoNewline: boolean } | undefined;
  const close = (): void => {
    if (!run) return;
    const { start, added, hasNoNewline } = run;
    const isLast = at === lines.count;
    const isOpenFile = lines.count > 0 && lines.endingAt(lines.count - 1) === '';
    const endsOpen = isLast && (hasNoNewline || (isOpenFile && !saysOldHasNone));
    const isAfterOpenLine = start === lines.count && isOpenFile && added.length > 0;
    const body = added.join(eol) + (endsOpen || added.length === 0 ? '' : eol);
    made.push({ start, end: at, units: (isAfterOpenLine ? eol : '') + body });
    run = undefined;
  };
  for (const { sign, text, hasNoNewline } of hunkLines) {
    if (sign === ' ') {
      close();
      at++;
      continue;
    }
    run ??= { start: at, added: [], hasNoNewline: false };
    if (sign === '-') {
      at++;
      continue;
    }
    const indent = indentOf(text);
    const encoded = encodeUnits((indents.get(indent) ?? indent) + text.slice(indent.length), file.encoding);
    if (!encoded.ok) return { character: encoded.character };
    run.added.push(encoded.units);
    run.hasNoNewline = hasNoNewline;
  }
  close();
  return made;
}

/** Hunks that change the same lines, or insert at the same place. */
function findOverlap(sorted: readonly Splice[]): [number, number] | undefined {
  for (const [index, splice] of sorted.entries()) {
    const previous = sorted[index - 1];
    if (!previous || previous.hunk === splice.hunk) continue;
    const isSamePlace = previous.start === splice.start && previous.end === previous.start;
    if (splice.start < previous.end || (isSamePlace && splice.end === splice.start))
      return [Math.min(previous.hunk, splice.hunk), Math.max(previous.hunk, splice.hunk)];
  }
  return undefined;
}

function spliced(units: string, lines: TextLines, splices: readonly Splice[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, units: inserted } of splices) {
    parts.push(units.slice(from, lines.offsetOf(start)), inserted);
    from = lines.offsetOf(end);
  }
  return parts.join('') + units.slice(from);
}

export function reject(reason: string): EditedUnits {
  return { ok: false, reason };
}

interface RejectedHunk {
  readonly file: TextUnits;
  readonly lines: TextLines;
  readonly hunks: readonly Hunk[];
  readonly index: number;
}

/** Why a hunk was not applied, with the real lines of the file at the place it names, so that the next diff can be right. */
function explainRejection(rejection: Rejection, rejected: RejectedHunk): string {
  const { lines, hunks, index } = rejected;
  const hunk = hunks[index];
  const which = hunks.length === 1 ? 'the diff' : `hunk ${index + 1} of ${hunks.length}`;
  const start = hunk?.oldStart;
  const at = start === undefined ? '' : ` (at line ${start})`;
  switch (rejection.kind) {
    case 'overlap':
      return `${which}${at} changes the same lines as hunk ${rejection.other + 1}; send one hunk for them`;
    case 'insertion':
      return `${which}${at} has no line of the file, so its place is not certain; ${showLines(rejected)}. Put the line before or after it into the hunk as a context line, or write "@@ -N,0 +M,1 @@" with M = N + 1 to insert after line N`;
    case 'ambiguous': {
      const places = rejection.places.slice(0, MAX_PLACES - 1).map((place) => place + 1);
      const more = rejection.places.length >= MAX_PLACES ? ' and more' : '';
      return `the lines of ${which}${at} stand at several places: lines ${places.join(', ')}${more}; ${start === undefined ? '' : `${showLines(rejected)}. `}Name the exact line in "@@ -line", or add context lines that only one place has`;
    }
    case 'missing':
      return `the lines of ${which}${at} are not in the file; ${lines.count === 0 ? 'it is empty' : start === undefined ? 'read it again' : showLines(rejected)}. Copy the lines exactly as they are there`;
  }
}

const SHOWN_LINES = 8;
const SHOWN_CHARS = 160;

/** The lines of the file around the place that the hunk names. */
function showLines({ file, lines, hunks, index }: RejectedHunk): string {
  const hunk = hunks[index];
  const size = hunk?.lines.filter(({ sign }) => sign !== '+').length ?? 0;
  const first = Math.max(0, Math.min((hunk?.oldStart ?? 1) - 2, lines.count - 3));
  const end = Math.min(lines.count, first + Math.min(SHOWN_LINES, Math.max(size, 1) + 2));
  const shown = Array.from({ length: end - first }, (_, offset) => {
    const line = decodeUnits(lines.at(first + offset).slice(0, SHOWN_CHARS * 3), file.encoding);
    const cut = line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)}…` : line;
    return `${first + offset + 1}| ${cut}\n`;
  });
  return `the file has ${lines.count} lines, there:\n${shown.join('')}`;
}
