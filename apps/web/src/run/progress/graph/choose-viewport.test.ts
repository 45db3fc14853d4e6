import { describe, expect, it } from 'vitest';
import { chooseViewport, READABLE } from './choose-viewport.ts';
import { type GraphDirection, NODE_HEIGHT, NODE_WIDTH } from './lay-out-graph.ts';

const STEP = NODE_WIDTH + 48;
const row = Array.from({ length: 10 }, (_, index) => ({ x: index * STEP, y: 40 }));
const at = (index: number) => row[index] ?? { x: 0, y: 0 };

/** Nodes that are fully visible. */
function inSight(
  points: typeof row,
  focus: { x: number; y: number },
  size: { width: number; height: number },
  direction: GraphDirection = 'right',
) {
  const { x, y, zoom } = chooseViewport(points, focus, size, direction);
  return points.flatMap((node, index) =>
    node.x * zoom + x >= 0 &&
    (node.x + NODE_WIDTH) * zoom + x <= size.width &&
    node.y * zoom + y >= 0 &&
    (node.y + NODE_HEIGHT) * zoom + y <= size.height
      ? [index]
      : [],
  );
}

describe('the visible part of a graph', () => {
  const panel = { width: 380, height: 224 };

  it('[U19] is all of it if that is readable', () => {
    expect(inSight(row.slice(0, 3), at(2), panel)).toEqual([0, 1, 2]);
    expect(chooseViewport(row.slice(0, 1), at(0), panel).zoom).toBe(1);
  });

  it('[U19] is otherwise the focused node with its neighbours, complete and large enough', () => {
    expect(inSight(row, at(0), panel)).toEqual([0, 1, 2]);
    expect(inSight(row, at(5), panel)).toEqual([4, 5, 6]);
    expect(inSight(row, at(9), panel)).toEqual([7, 8, 9]);
    expect(chooseViewport(row, at(5), panel).zoom).toBeGreaterThanOrEqual(READABLE);
  });

  it('[U19] is chosen by rows if the graph goes down', () => {
    const rows = Array.from({ length: 10 }, (_, index) => ({ x: 40, y: index * (NODE_HEIGHT + 32) }));
    const focus = (index: number) => rows[index] ?? at(0);
    expect(inSight(rows, focus(0), panel, 'down')).toEqual([0, 1, 2, 3]);
    expect(inSight(rows, focus(5), panel, 'down')).toEqual([4, 5, 6, 7]);
    expect(inSight(rows.slice(0, 3), focus(2), panel, 'down')).toEqual([0, 1, 2]);
  });

  it('[U19] is the focused node if its column is higher than the panel', () => {
    const column = Array.from({ length: 20 }, (_, index) => ({ x: 0, y: index * 80 }));
    expect(inSight(column, column[17] ?? at(0), panel)).toContain(17);
  });
});
