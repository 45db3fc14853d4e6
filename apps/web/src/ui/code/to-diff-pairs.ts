/** The rows of a diff side by side: a removed line beside the line that replaces it. Pure. */
import type { DiffRow } from './parse-diff.ts';

export interface DiffPair {
  /** Undefined where the other side has more lines. */
  readonly before: DiffRow | undefined;
  readonly after: DiffRow | undefined;
}

/** Rows that belong to no side, such as the name of a file, stay as they are. */
export function toDiffPairs(rows: readonly DiffRow[]): readonly (DiffRow | DiffPair)[] {
  const shown: (DiffRow | DiffPair)[] = [];
  let removed: DiffRow[] = [];
  let added: DiffRow[] = [];
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      shown.push({ before: removed[at], after: added[at] });
    [removed, added] = [[], []];
  };
  for (const row of rows) {
    // A removal after an addition begins another change.
    if (row.kind === 'removed' && added.length > 0) flush();
    if (row.kind === 'removed') removed.push(row);
    else if (row.kind === 'added') added.push(row);
    else {
      flush();
      shown.push(row.kind === 'same' ? { before: row, after: row } : row);
    }
  }
  flush();
  return shown;
}

export function isPair(row: DiffRow | DiffPair): row is DiffPair {
  return !('kind' in row);
}
