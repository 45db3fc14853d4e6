/**
 * Three-way merge of a text by lines: changes of different lines are combined, changes of the same or of neighbouring lines are not.
 * Works on bytes, so that any encoding without zero bytes keeps its characters and line ends.
 */
import { diffArrays } from 'diff';

/** Above these a file is not merged: the time grows with the product of length and edits. */
const MAX_BYTES = 4 * 1_048_576;
const MAX_EDITS = 4_000;

export interface Sides {
  readonly base: Buffer;
  readonly theirs: Buffer;
  readonly ours: Buffer;
}

/** Undefined if both sides changed the same lines, or if the contents are no text. */
export function mergeText({ base, theirs, ours }: Sides): Buffer | undefined {
  const sides = [base, theirs, ours];
  if (sides.some((side) => side.length > MAX_BYTES || side.includes(0))) return undefined;
  const [from, one, other] = sides.map(toLines) as [string[], string[], string[]];
  const first = findEdits(from, one);
  const second = findEdits(from, other);
  const edits = first && second && combine(first, second);
  if (!edits) return undefined;
  let merged = '';
  let next = 0;
  for (const { start, end, lines } of edits) {
    merged += from.slice(next, start).join('') + lines.join('');
    next = end;
  }
  return Buffer.from(merged + from.slice(next).join(''), 'latin1');
}

/** Each with its line end. */
function toLines(bytes: Buffer): string[] {
  return bytes.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Lines `start` to before `end` of the base are replaced. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

function findEdits(from: string[], to: string[]): Edit[] | undefined {
  const parts = diffArrays(from, to, { maxEditLength: MAX_EDITS });
  if (!parts) return undefined;
  const edits: Edit[] = [];
  let at = 0;
  for (const { added, removed, value } of parts) {
    const end = added ? at : at + value.length;
    if (added || removed) {
      const last = edits.at(-1);
      const lines = added ? value : [];
      if (last?.end === at)
        edits[edits.length - 1] = { start: last.start, end, lines: [...last.lines, ...lines] };
      else edits.push({ start: at, end, lines });
    }
    at = end;
  }
  return edits;
}

/** In order; undefined if two of them touch and are not the same. */
function combine(first: readonly Edit[], second: readonly Edit[]): Edit[] | undefined {
  const edits: Edit[] = [];
  let i = 0;
  let j = 0;
  for (;;) {
    const one = first[i];
    const other = second[j];
    if (!one || !other) return [...edits, ...first.slice(i), ...second.slice(j)];
    if (isSame(one, other)) {
      edits.push(one);
      i++;
      j++;
    } else if (one.end < other.start) {
      edits.push(one);
      i++;
    } else if (other.end < one.start) {
      edits.push(other);
      j++;
    } else return undefined;
  }
}

function isSame(one: Edit, other: Edit): boolean {
  return (
    one.start === other.start &&
    one.end === other.end &&
    one.lines.length === other.lines.length &&
    one.lines.every((line, index) => line === other.lines[index])
  );
}
