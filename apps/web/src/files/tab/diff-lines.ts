/**
 * Line diff of two texts, with context lines around each change. Texts that differ too much are shown as one removed and one
 * added. Pure.
 */
import { diffArrays } from 'diff';
import type { Diff, DiffLine } from '../../ui/code/parse-diff.ts';

/** The time of a comparison is quadratic in its edits. */
const MAX_EDITS = 1_500;
const CONTEXT = 3;

export function diffLines(before: string, after: string): Diff {
  const lines = toLines(before.split('\n'), after.split('\n'));
  const count = (kind: DiffLine['kind']): number => lines.filter((line) => line.kind === kind).length;
  return { lines: onlyAround(lines), added: count('added'), removed: count('removed') };
}

function toLines(one: string[], other: string[]): DiffLine[] {
  const changes = diffArrays(one, other, { maxEditLength: MAX_EDITS }) ?? [
    { value: one, removed: true, added: false },
    { value: other, removed: false, added: true },
  ];
  let [before, after] = [0, 0];
  return changes.flatMap(({ value, added, removed }) =>
    value.map((text): DiffLine => {
      if (added) return { kind: 'added', text, before: undefined, after: ++after };
      if (removed) return { kind: 'removed', text, before: ++before, after: undefined };
      return { kind: 'same', text, before: ++before, after: ++after };
    }),
  );
}

/** A few context lines around each change; a gap marker replaces the rest. */
function onlyAround(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = lines.map(() => false);
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    const [from, to] = [Math.max(0, index - CONTEXT), Math.min(lines.length - 1, index + CONTEXT)];
    isNear.fill(true, from, to + 1);
  }
  return lines.flatMap((line, index) => {
    if (isNear[index]) return [line];
    const isFirstLeftOut = index === 0 || isNear[index - 1];
    return isFirstLeftOut ? [{ kind: 'hunk', text: '…', before: undefined, after: undefined } as const] : [];
  });
}
