/**
 * Chooses the visible part of a graph: all of it if it stays readable, else as many whole ranks (columns, or rows of a graph that
 * goes down) around a node as fit, preferring those after it. Pure.
 */
import { type GraphDirection, NODE_HEIGHT, NODE_WIDTH, type Point, type Size } from './lay-out-graph.ts';

/** Translation and zoom of the graph. */
export interface Viewport extends Point {
  readonly zoom: number;
}

export const READABLE = 0.55;
const MAX_ZOOM = 1;
const MARGIN = 14;
/** Room for the buttons. */
const BELOW = 34;

export function chooseViewport(
  points: readonly Point[],
  focus: Point,
  size: Size,
  direction: GraphDirection = 'right',
): Viewport {
  const room = { width: size.width - 2 * MARGIN, height: size.height - MARGIN - BELOW };
  const [first, last] = chooseRanks(points, focus, { room, direction });
  const axis = AXES[direction];
  const shown = points.filter((one) => one[axis] >= first && one[axis] <= last);
  const left = Math.min(...shown.map(({ x }) => x));
  const top = Math.min(...shown.map(({ y }) => y));
  const width = Math.max(...shown.map(({ x }) => x)) - left + NODE_WIDTH;
  const height = Math.max(...shown.map(({ y }) => y)) - top + NODE_HEIGHT;
  const wanted = Math.min(room.width / width, room.height / height);
  const zoom = Math.min(MAX_ZOOM, Math.max(READABLE, wanted));
  const middleX = width * zoom <= room.width ? left + width / 2 : focus.x + NODE_WIDTH / 2;
  const middleY = height * zoom <= room.height ? top + height / 2 : focus.y + NODE_HEIGHT / 2;
  return {
    zoom,
    x: MARGIN + room.width / 2 - middleX * zoom,
    y: MARGIN + room.height / 2 - middleY * zoom,
  };
}

const AXES = { down: 'y', right: 'x' } as const;

/** The first and last visible rank: columns of a graph that goes right, rows of one that goes down. */
function chooseRanks(
  points: readonly Point[],
  focus: Point,
  { room, direction }: { readonly room: Size; readonly direction: GraphDirection },
): readonly [number, number] {
  const axis = AXES[direction];
  const [most, extent] = direction === 'down' ? [room.height, NODE_HEIGHT] : [room.width, NODE_WIDTH];
  const ranks = [...new Set(points.map((one) => one[axis]))].sort((one, other) => one - other);
  const at = (index: number): number => ranks[index] ?? Number.NaN;
  const fits = (first: number, last: number): boolean => at(last) - at(first) + extent <= most / READABLE;
  let first = ranks.indexOf(focus[axis]);
  let last = first;
  while (true) {
    const before = [first, last];
    if (fits(first, last + 1)) last += 1;
    if (fits(first - 1, last)) first -= 1;
    if (before[0] === first && before[1] === last) return [at(first), at(last)];
  }
}
