/** The part of the stage that is shown first: all of it if it stays readable, else the part around a node. Pure. */
import type { Viewport } from './choose-viewport.ts';
import type { Point, Size } from './lay-out-graph.ts';

/** Text of 12.5 pixels is not smaller than 11 on the screen. */
export const READABLE_ZOOM = 0.88;
const MARGIN = 12;
/** A screen of a phone shows one column and scrolls. */
export const NARROW = 600;

/** How high a column of a wrapped graph may be on a screen; in steps, so that a graph is not laid out at each pixel of a drag. */
export function highestColumn({ width, height }: Size): number {
  return width < NARROW ? Number.POSITIVE_INFINITY : Math.floor(height / READABLE_ZOOM / 20) * 20;
}

export function chooseStageView(graph: Size, focus: (Point & Size) | undefined, screen: Size): Viewport {
  const fitting = Math.min(
    (screen.width - 2 * MARGIN) / graph.width,
    (screen.height - 2 * MARGIN) / graph.height,
  );
  const zoom = Math.min(1, Math.max(READABLE_ZOOM, fitting));
  const along = (length: number, at: number, size: number, room: number): number => {
    const whole = length * zoom;
    if (whole <= room) return (room - whole) / 2;
    // As near to the middle as the ends allow.
    const centered = room / 2 - (at + size / 2) * zoom;
    return Math.min(MARGIN, Math.max(room - whole - MARGIN, centered));
  };
  const { x = 0, y = 0, width = 0, height = 0 } = focus ?? {};
  return {
    zoom,
    x: along(graph.width, x, width, screen.width),
    y: along(graph.height, y, height, screen.height),
  };
}
