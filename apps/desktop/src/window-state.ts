/**
 * The window's position and size for each arrangement of displays, such as a laptop with and without a monitor, and their file in
 * the store.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { positiveCountSchema } from '@crewagent/protocol/scalars';
import * as z from '@crewagent/protocol/zod';

const boundsSchema = z.object({
  x: z.int(),
  y: z.int(),
  width: positiveCountSchema,
  height: positiveCountSchema,
});
export type Bounds = z.infer<typeof boundsSchema>;

const shapeSchema = z.object({ bounds: boundsSchema, isMaximized: z.boolean() });
export type WindowShape = z.infer<typeof shapeSchema>;

const windowStateSchema = z.object({
  schemaVersion: z.literal(1),
  shapes: z.record(z.string(), shapeSchema),
});
export type WindowState = z.infer<typeof windowStateSchema>;

export const NO_WINDOW_STATE: WindowState = { schemaVersion: 1, shapes: {} };

export interface DisplayArea {
  readonly id: number;
  /** Without taskbars and docks. */
  readonly workArea: Bounds;
}

const FIRST_SIZE = { width: 1280, height: 860 };
export const MIN_SIZE = { width: 480, height: 420 };
/** Pixels of the window that must be on some display, so that the person can drag it. */
const VISIBLE = 80;
const MAX_ARRANGEMENTS = 20;

/** The initial position and size. A position outside all displays is dropped, its size is not. */
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

/** Adds the latest arrangement at the end, up to a maximum number. A maximized window keeps its previous bounds. */
export function withShape(
  state: WindowState,
  displays: readonly DisplayArea[],
  shape: WindowShape,
): WindowState {
  const key = toArrangement(displays);
  const { [key]: before, ...others } = state.shapes;
  const bounds = shape.isMaximized && before ? before.bounds : shape.bounds;
  const recent = Object.entries(others).slice(-(MAX_ARRANGEMENTS - 1));
  return { schemaVersion: 1, shapes: { ...Object.fromEntries(recent), [key]: { ...shape, bounds } } };
}

/** Never a plain number: objects enumerate integer keys first. */
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

/** A file that cannot be read or written is ignored. */
export function createWindowStateFile(file: string) {
  let state: WindowState | undefined;
  return {
    read(): WindowState {
      state ??= load(file);
      return state;
    },
    write(next: WindowState): void {
      state = next;
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        writeFileSync(file, JSON.stringify(next), { mode: 0o600 });
      } catch {
        // The window opens at the default position next time.
      }
    },
  };
}

export type WindowStateFile = ReturnType<typeof createWindowStateFile>;

function load(file: string): WindowState {
  try {
    return windowStateSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return NO_WINDOW_STATE;
  }
}
