/**
 * The words in which a line differs from the one that it replaces, so that a reader need not compare long lines. Pure, and linear:
 * what lines have in common at their beginning and end is unchanged, the rest is not compared.
 */
import type { DiffRow } from './parse-diff.ts';

/** From and to, in characters of the row. */
export type ChangedPart = readonly [from: number, to: number];

/** Of rows that stand for a changed line; lines that have little in common have none. */
export function findChangedParts(rows: readonly DiffRow[]): ReadonlyMap<DiffRow, ChangedPart> {
  const parts = new Map<DiffRow, ChangedPart>();
  for (let at = 0; at < rows.length; ) {
    const removed = runOf(rows, at, 'removed');
    const added = runOf(rows, at + removed.length, 'added');
    // Only lines that clearly replace each other.
    if (removed.length === added.length)
      removed.forEach((row, index) => {
        const other = added[index];
        const found = other && compare(row.text, other.text);
        if (!other || !found) return;
        parts.set(row, found.before);
        parts.set(other, found.after);
      });
    at += Math.max(1, removed.length + added.length);
  }
  return parts;
}

function runOf(rows: readonly DiffRow[], start: number, kind: DiffRow['kind']): readonly DiffRow[] {
  let end = start;
  while (rows[end]?.kind === kind) end++;
  return rows.slice(start, end);
}

/** Of the longer line, at least this share is unchanged. */
const LEAST_COMMON = 0.3;

function compare(before: string, after: string): { before: ChangedPart; after: ChangedPart } | undefined {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const most = Math.min(old.length, now.length);
  let first = 0;
  while (first < most && old[first] === now[first]) first++;
  let last = 0;
  while (last < most - first && old.at(-1 - last) === now.at(-1 - last)) last++;
  const lengthOf = (words: readonly string[]): number => words.reduce((sum, { length }) => sum + length, 0);
  const [head, tail] = [lengthOf(old.slice(0, first)), lengthOf(old.slice(old.length - last))];
  const longest = Math.max(before.length, after.length);
  if (head + tail === longest || head + tail < longest * LEAST_COMMON) return undefined;
  return { before: [head, before.length - tail], after: [head, after.length - tail] };
}

/** Whole characters: a part never begins within one. */
function wordsOf(text: string): readonly string[] {
  return text.match(/(?:(?!\p{Script=Han})[\p{L}\p{N}\p{M}_])+|\s+|./gsu) ?? [];
}
