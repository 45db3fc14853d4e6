/**
 * Which rows of a text were on screen, accumulated over time. Parts of a row count: one that is taller than its window is seen
 * bit by bit. A `Sight` knows nothing of the screen; `watchRows` tells it.
 */

export type Sight = ReturnType<typeof createSight>;

type Part = readonly [from: number, to: number];

export function createSight(rows: number) {
  const seen = new Uint8Array(rows);
  /** Of rows that were seen in part. */
  const parts = new Map<number, readonly Part[]>();
  const listeners = new Set<() => void>();
  let unseen = rows;
  let first = 0;
  return {
    rows,
    /** Rows of which some part was not on screen yet. */
    unseen: (): number => unseen,
    /** The first of them; undefined if all were on screen. */
    firstUnseen(): number | undefined {
      while (first < rows && seen[first] === 1) first++;
      return first < rows ? first : undefined;
    },
    isSeen: (row: number): boolean => seen[row] === 1,
    /** The part of a row between two fractions of its height is on screen. Returns whether that is the last part of the row. */
    see(row: number, from: number, to: number): boolean {
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
    subscribe(onChange: () => void): () => void {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    /** Tells subscribers, once for everything that was seen in a frame. */
    report(): void {
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

const LOOK_EVERY_MS = 200;
/** Edges of rows are at fractions of pixels. */
const TOLERANCE_PX = 1.5;

/**
 * Tells a `Sight` which rows of a diff are on screen: inside every scrolling ancestor and the window, not covered by anything,
 * in a visible tab. Looks again when something scrolls or changes its size, and a few times per second because nothing reports
 * that a dialog over it was closed.
 */
export function watchRows(diff: HTMLElement, sight: Sight): () => void {
  let frame = 0;
  const look = (): void => {
    frame = 0;
    if (document.visibilityState !== 'visible') return;
    const before = sight.unseen();
    lookAtRows(diff, sight);
    if (sight.unseen() < before) sight.report();
    if (sight.unseen() === 0) end();
  };
  const soon = (): void => {
    frame ||= requestAnimationFrame(look);
  };
  const sizes = new ResizeObserver(soon);
  const timer = setInterval(soon, LOOK_EVERY_MS);
  const end = (): void => {
    cancelAnimationFrame(frame);
    clearInterval(timer);
    sizes.disconnect();
    removeEventListener('scroll', soon, true);
    document.removeEventListener('visibilitychange', soon);
  };
  sizes.observe(diff);
  addEventListener('scroll', soon, { capture: true, passive: true });
  document.addEventListener('visibilitychange', soon);
  look();
  return end;
}

interface Box {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

function lookAtRows(diff: HTMLElement, sight: Sight): void {
  const clip = clipOf(diff);
  for (const block of diff.querySelectorAll<HTMLElement>('[data-rows]')) {
    if (!overlap(block.getBoundingClientRect(), clip)) continue;
    const first = Number(block.dataset.rows);
    for (const [index, row] of [...block.children].entries()) {
      if (sight.isSeen(first + index)) continue;
      const box = row.getBoundingClientRect();
      const part = overlap(box, clip);
      // A row that reaches out to the side is not seen in full.
      if (!part || box.left < clip.left - TOLERANCE_PX || box.right > clip.right + TOLERANCE_PX) continue;
      if (isOnTop(row, box, part))
        sight.see(
          first + index,
          (part.top - box.top - TOLERANCE_PX) / box.height,
          (part.bottom - box.top + TOLERANCE_PX) / box.height,
        );
    }
  }
}

/** The part of the window through which an element can be seen. */
function clipOf(element: HTMLElement): Box {
  let clip: Box = { top: 0, left: 0, bottom: innerHeight, right: innerWidth };
  for (let parent = element.parentElement; parent; parent = parent.parentElement) {
    if (getComputedStyle(parent).overflow === 'visible') continue;
    const { left, top } = parent.getBoundingClientRect();
    const [x, y] = [left + parent.clientLeft, top + parent.clientTop];
    clip = {
      top: Math.max(clip.top, y),
      left: Math.max(clip.left, x),
      bottom: Math.min(clip.bottom, y + parent.clientHeight),
      right: Math.min(clip.right, x + parent.clientWidth),
    };
  }
  return clip;
}

function overlap(box: Box, clip: Box): Pick<Box, 'top' | 'bottom'> | undefined {
  const [top, bottom] = [Math.max(box.top, clip.top), Math.min(box.bottom, clip.bottom)];
  return bottom > top ? { top, bottom } : undefined;
}

/** Nothing covers the middle of the part that is in sight. */
function isOnTop(row: Element, { left, right }: Box, { top, bottom }: Pick<Box, 'top' | 'bottom'>): boolean {
  const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return hit !== null && (row === hit || row.contains(hit));
}
