/**
 * Which rows of a text were on screen, accumulated over time. Parts of a row count: one that is taller than its window is seen
 * bit by bit. Knows nothing of the screen; `watch-rows` tells it.
 */
export interface Sight {
  readonly rows: number;
  /** Rows of which some part was not on screen yet. */
  unseen(): number;
  /** The first of them; undefined if all were on screen. */
  firstUnseen(): number | undefined;
  isSeen(row: number): boolean;
  /** The part of a row between two fractions of its height is on screen. Returns whether that is the last part of the row. */
  see(row: number, from: number, to: number): boolean;
  subscribe(onChange: () => void): () => void;
  /** Tells subscribers, once for everything that was seen in a frame. */
  report(): void;
}

type Part = readonly [from: number, to: number];

export function createSight(rows: number): Sight {
  const seen = new Uint8Array(rows);
  /** Of rows that were seen in part. */
  const parts = new Map<number, readonly Part[]>();
  const listeners = new Set<() => void>();
  let unseen = rows;
  let first = 0;
  return {
    rows,
    unseen: () => unseen,
    firstUnseen() {
      while (first < rows && seen[first] === 1) first++;
      return first < rows ? first : undefined;
    },
    isSeen: (row) => seen[row] === 1,
    see(row, from, to) {
      if (row >= rows || seen[row] === 1) return false;
      const all = joinParts([...(parts.get(row) ?? []), [from, to]]);
      const isWhole = all.some(([start, end]) => start <= 0 && end >= 1);
      parts.set(row, all);
      if (!isWhole) return false;
      parts.delete(row);
      seen[row] = 1;
      unseen--;
      return true;
    },
    subscribe(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    report() {
      for (const listener of listeners) listener();
    },
  };
}

function joinParts(parts: readonly Part[]): readonly Part[] {
  const joined: Part[] = [];
  for (const [from, to] of parts.toSorted(([one], [other]) => one - other)) {
    const last = joined.at(-1);
    if (last && from <= last[1]) joined[joined.length - 1] = [last[0], Math.max(last[1], to)];
    else joined.push([from, to]);
  }
  return joined;
}
