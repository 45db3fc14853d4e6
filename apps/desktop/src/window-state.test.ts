import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createWindowStateFile,
  type DisplayArea,
  NO_WINDOW_STATE,
  toOpeningShape,
  withShape,
} from './window-state.ts';

const LAPTOP: DisplayArea = { id: 1, workArea: { x: 0, y: 0, width: 1440, height: 860 } };
const MONITOR: DisplayArea = { id: 2, workArea: { x: 1440, y: 0, width: 2560, height: 1400 } };
const BOTH = [LAPTOP, MONITOR];
const ON_MONITOR = { x: 1600, y: 40, width: 1800, height: 1200 };

describe('the window state', () => {
  it('[G20] is stored for each arrangement of displays', () => {
    let state = withShape(NO_WINDOW_STATE, BOTH, { bounds: ON_MONITOR, isMaximized: false });
    state = withShape(state, [LAPTOP], {
      bounds: { x: 5, y: 5, width: 1000, height: 700 },
      isMaximized: false,
    });
    expect(toOpeningShape(state, BOTH).bounds).toEqual(ON_MONITOR);
    expect(toOpeningShape(state, [MONITOR, LAPTOP]).bounds).toEqual(ON_MONITOR);
    expect(toOpeningShape(state, [LAPTOP]).bounds).toMatchObject({ x: 5, width: 1000 });
  });

  it('[G20] drops a position outside all displays, and is never larger than the display', () => {
    const lost = { x: 9_000, y: 40, width: 1800, height: 1200 };
    const state = withShape(NO_WINDOW_STATE, [LAPTOP], { bounds: lost, isMaximized: true });
    const { bounds, isMaximized } = toOpeningShape(state, [LAPTOP]);
    expect(bounds).toEqual({ width: 1440, height: 860 });
    expect(isMaximized).toBe(true);
    const above = withShape(NO_WINDOW_STATE, [LAPTOP], {
      bounds: { ...lost, x: 10, y: -500 },
      isMaximized: false,
    });
    expect(toOpeningShape(above, [LAPTOP]).bounds).not.toHaveProperty('y');
  });

  it('[G20] keeps the previous bounds of a maximized window', () => {
    const before = withShape(NO_WINDOW_STATE, BOTH, { bounds: ON_MONITOR, isMaximized: false });
    const state = withShape(before, BOTH, { bounds: MONITOR.workArea, isMaximized: true });
    expect(toOpeningShape(state, BOTH)).toEqual({ bounds: ON_MONITOR, isMaximized: true });
  });

  it('[G20] is limited in number, and a damaged file is ignored', async () => {
    let state = NO_WINDOW_STATE;
    for (let id = 0; id < 50; id += 1)
      state = withShape(state, [{ ...LAPTOP, id }], { bounds: ON_MONITOR, isMaximized: false });
    expect(Object.keys(state.shapes)).toHaveLength(20);
    const folder = await mkdtemp(join(tmpdir(), 'crewagent-desktop-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'deep', 'window.json');
    const states = createWindowStateFile(file);
    expect(states.read()).toEqual(NO_WINDOW_STATE);
    states.write(state);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(state);
    await writeFile(file, '{"schemaVersion":1,"shapes":{"a":{"bounds":"x"}}}');
    expect(createWindowStateFile(file).read()).toEqual(NO_WINDOW_STATE);
  });
});
