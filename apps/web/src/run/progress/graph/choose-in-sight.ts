/**
 * Which part of a graph is in sight: all of it where that can be read, else as many whole columns around a place as there is
 * room for, first those that come after it. Pure.
 */
import { NODE_HEIGHT, NODE_WIDTH } from './lay-out-graph.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Where the graph is moved to, and how large it is drawn. */
export interface Viewport extends Point {
  readonly zoom: number;
}

export const READABLE = 0.55;
const LARGEST = 1;
const MARGIN = 14;
/** The buttons stand there. */
const BELOW = 34;

export function chooseInSight(places: readonly Point[], place: Point, size: Size): Viewport {
  const room = { width: size.width - 2 * MARGIN, height: size.height - MARGIN - BELOW };
  const [left, right] = chooseColumns(places, place, room.width / READABLE);
  const shown = places.filter(({ x }) => x >= left && x <= right);
  const width = right - left + NODE_WIDTH;
  const top = Math.min(...shown.map(({ y }) => y));
  const height = Math.max(...shown.map(({ y }) => y)) - top + NODE_HEIGHT;
  const wanted = Math.min(room.width / width, room.height / height);
  const zoom = Math.min(LARGEST, Math.max(READABLE, wanted));
  const middle = height * zoom <= room.height ? top + height / 2 : place.y + NODE_HEIGHT / 2;
  return {
    zoom,
    x: MARGIN + Math.max(0, room.width - width * zoom) / 2 - left * zoom,
    y: MARGIN + room.height / 2 - middle * zoom,
  };
}

/** The first and the last of them. */
function chooseColumns(places: readonly Point[], place: Point, most: number): readonly [number, number] {
  const columns = [...new Set(places.map(({ x }) => x))].sort((one, other) => one - other);
  const at = (index: number): number => columns[index] ?? Number.NaN;
  const fits = (first: number, last: number): boolean => at(last) - at(first) + NODE_WIDTH <= most;
  let first = columns.indexOf(place.x);
  let last = first;
  while (true) {
    const before = [first, last];
    if (fits(first, last + 1)) last += 1;
    if (fits(first - 1, last)) first -= 1;
    if (before[0] === first && before[1] === last) return [at(first), at(last)];
  }
}
