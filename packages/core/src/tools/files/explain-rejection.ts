/**
 * Says why a hunk was not applied, with the real lines of the file at the place it names, so that the next diff can be
 * right. Pure.
 */
import { MAX_PLACES } from './find-places.ts';
import type { Hunk } from './parse-diff.ts';
import type { TextLines } from './text-lines.ts';
import { decodeUnits, type TextUnits } from './text-units.ts';

export type Rejection =
  | { readonly kind: 'missing' | 'insertion' }
  /** Indexes of the first lines. */
  | { readonly kind: 'ambiguous'; readonly places: readonly number[] }
  /** Index of the other hunk. */
  | { readonly kind: 'overlap'; readonly other: number };

interface RejectedHunk {
  readonly file: TextUnits;
  readonly lines: TextLines;
  readonly hunks: readonly Hunk[];
  readonly index: number;
}

export function explainRejection(rejection: Rejection, rejected: RejectedHunk): string {
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
