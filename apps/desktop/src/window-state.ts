/**
 * Where the window was, for each arrangement of displays: a laptop with and without its monitor has two places. Pure.
 */
import * as z from '@crewagent/protocol/zod';

const boundsSchema = z.object({
  x: z.int(),
  y: z.int(),
  width: z.int().min(1),
  height: z.int().min(1),
});
export type Bounds = z.infer<typeof boundsSchema>;

const shapeSchema = z.object({ bounds: boundsSchema, isMaximized: z.boolean() });
export type WindowShape = z.infer<typeof shapeSchema>;

export const windowStateSchema = z.object({
  schemaVersion: z.literal(1),
  shapes: z.record(z.string(), shapeSchema),
});
export type WindowState = z.infer<typeof windowStateSchema>;

export const NO_WINDOW_STATE: WindowState = { schemaVersion: 1, shapes: {} };

export interface DisplayArea {
  readonly id: number;
  /** Without the bars of the system. */
  readonly workArea: Bounds;
}

const FIRST_SIZE = { width: 1280, height: 860 };
export const MIN_SIZE = { width: 480, height: 420 };
/** So much of the window must be on some display, for the person to get hold of it. */
const VISIBLE = 80;
const MAX_ARRANGEMENTS = 20;

/** How the window is to be opened. A place that no display shows any more is forgotten, its size is not. */
export function toOpeningShape(
  state: WindowState,
  displays: readonly DisplayArea[],
): { readonly bounds: Partial<Bounds> & typeof FIRST_SIZE; readonly isMaximized: boolean } {
  const shape = state.shapes[toArrangement(displays)];
  const [largest = FIRST_SIZE] = displays
    .map(({ workArea }) => workArea)
    .sort((a, b) => b.width * b.height - a.width * a.height);
  const size = {
    width: Math.min(shape?.bounds.width ?? FIRST_SIZE.width, largest.width),
    height: Math.min(shape?.bounds.height ?? FIRST_SIZE.height, largest.height),
  };
  const isMaximized = shape?.isMaximized ?? false;
  if (!shape || !displays.some(({ workArea }) => isReachable(shape.bounds, workArea)))
    return { bounds: size, isMaximized };
  return { bounds: { x: shape.bounds.x, y: shape.bounds.y, ...size }, isMaximized };
}

/** The latest arrangement is last; only so many are kept. A maximized window keeps the bounds it had before. */
export function withShape(
  state: WindowState,
  displays: readonly DisplayArea[],
  shape: WindowShape,
): WindowState {
  const key = toArrangement(displays);
  const { [key]: before, ...others } = state.shapes;
  const bounds = shape.isMaximized && before ? before.bounds : shape.bounds;
  const kept = Object.entries(others).slice(-(MAX_ARRANGEMENTS - 1));
  return { schemaVersion: 1, shapes: { ...Object.fromEntries(kept), [key]: { ...shape, bounds } } };
}

/** Text, never a plain number: records keep those in another order. */
function toArrangement(displays: readonly DisplayArea[]): string {
  return displays
    .map(({ id, workArea: { x, y, width, height } }) => `${id}:${x},${y},${width}x${height}`)
    .sort()
    .join(' ');
}

function isReachable(bounds: Bounds, area: Bounds): boolean {
  const right = Math.min(bounds.x + bounds.width, area.x + area.width);
  const left = Math.max(bounds.x, area.x);
  // The title bar is at the top.
  const isTopInside = bounds.y >= area.y && bounds.y <= area.y + area.height - VISIBLE;
  return right - left >= VISIBLE && isTopInside;
}
