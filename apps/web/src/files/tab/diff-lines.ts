/**
 * What makes one text out of another, line by line (the shortest way, after Myers). Texts that differ too much are told as
 * taken away and put there. Pure.
 */
import type { Diff, DiffLine } from '../../ui/code/parse-diff.ts';

/** Lines of one text against lines of the other are compared at most about this often, squared. */
const MOST_EDITS = 1_500;
const CONTEXT = 3;

export function diffLines(before: string, after: string): Diff {
  const one = before.split('\n');
  const other = after.split('\n');
  const start = commonStart(one, other);
  const end = commonEnd(one.slice(start), other.slice(start));
  const moves = [
    ...same(start),
    ...findEdits(one.slice(start, one.length - end), other.slice(start, other.length - end)),
    ...same(end),
  ];
  const lines = toLines(moves, one, other);
  const count = (kind: DiffLine['kind']): number => lines.filter((line) => line.kind === kind).length;
  return { lines: onlyAround(lines), added: count('added'), removed: count('removed') };
}

type Move = 'same' | 'added' | 'removed';

const same = (count: number): Move[] => Array.from({ length: count }, () => 'same' as const);

function commonStart(one: readonly string[], other: readonly string[]): number {
  const most = Math.min(one.length, other.length);
  let count = 0;
  while (count < most && one[count] === other[count]) count++;
  return count;
}

function commonEnd(one: readonly string[], other: readonly string[]): number {
  const most = Math.min(one.length, other.length);
  let count = 0;
  while (count < most && one.at(-1 - count) === other.at(-1 - count)) count++;
  return count;
}

function findEdits(one: readonly string[], other: readonly string[]): Move[] {
  const all = (): Move[] => [...one.map(() => 'removed' as const), ...other.map(() => 'added' as const)];
  if (one.length === 0 || other.length === 0) return all();
  const most = Math.min(one.length + other.length, MOST_EDITS);
  const reached = new Map<number, number>([[1, 0]]);
  const history: Map<number, number>[] = [];
  const at = (diagonal: number): number => reached.get(diagonal) ?? -1;
  for (let edits = 0; edits <= most; edits++) {
    history.push(new Map(reached));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const isDown = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));
      let x = isDown ? at(diagonal + 1) : at(diagonal - 1) + 1;
      while (x < one.length && x - diagonal < other.length && one[x] === other[x - diagonal]) x++;
      reached.set(diagonal, x);
      if (x >= one.length && x - diagonal >= other.length) return walkBack(history, one.length, other.length);
    }
  }
  return all();
}

function walkBack(history: readonly Map<number, number>[], length: number, otherLength: number): Move[] {
  const moves: Move[] = [];
  let [x, y] = [length, otherLength];
  for (let edits = history.length - 1; edits >= 0; edits--) {
    const at = (diagonal: number): number => history[edits]?.get(diagonal) ?? -1;
    const diagonal = x - y;
    const isDown = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));
    const previousX = edits === 0 ? 0 : at(isDown ? diagonal + 1 : diagonal - 1);
    const previousY = edits === 0 ? 0 : previousX - (isDown ? diagonal + 1 : diagonal - 1);
    while (x > previousX && y > previousY && moves.push('same')) {
      x--;
      y--;
    }
    if (edits > 0) moves.push(isDown ? 'added' : 'removed');
    [x, y] = [previousX, previousY];
  }
  return moves.reverse();
}

function toLines(moves: readonly Move[], one: readonly string[], other: readonly string[]): DiffLine[] {
  let [before, after] = [0, 0];
  return moves.map((kind) => {
    if (kind === 'added') return { kind, text: other[after++] ?? '', before: undefined, after };
    if (kind === 'removed') return { kind, text: one[before++] ?? '', before, after: undefined };
    return { kind, text: one[before++] ?? '', before, after: ++after };
  });
}

/** A few lines around each change; in place of the rest, a mark. */
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
