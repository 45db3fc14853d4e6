/** Merges two edits of one text by lines. Undefined if both changed the same lines. Pure. */
import { diffArrays } from 'diff';

interface Hunk {
  /** Lines of the base that it replaces. */
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

export function mergeText(base: string, mine: string, theirs: string): string | undefined {
  const lines = base.split('\n');
  const [own, others] = [toHunks(lines, mine), toHunks(lines, theirs)];
  const isSame = (one: Hunk, other: Hunk): boolean =>
    one.start === other.start && one.end === other.end && one.lines.join('\n') === other.lines.join('\n');
  // Hunks that touch are a conflict too: their order would be a guess.
  const clash = own.some((one) =>
    others.some((other) => !isSame(one, other) && one.start <= other.end && other.start <= one.end),
  );
  if (clash) return undefined;
  const added = others.filter((other) => !own.some((one) => isSame(one, other)));
  const merged = [...lines];
  for (const { start, end, lines: after } of [...own, ...added].sort((a, b) => b.start - a.start))
    merged.splice(start, end - start, ...after);
  return merged.join('\n');
}

function toHunks(base: readonly string[], text: string): Hunk[] {
  const hunks: Hunk[] = [];
  let at = 0;
  let open: { start: number; lines: string[] } | undefined;
  const close = (): void => {
    if (open) hunks.push({ ...open, end: at });
    open = undefined;
  };
  for (const { value, added, removed } of diffArrays([...base], text.split('\n'))) {
    if (!added && !removed) close();
    else open ??= { start: at, lines: [] };
    if (added) open?.lines.push(...value);
    else at += value.length;
  }
  close();
  return hunks;
}
