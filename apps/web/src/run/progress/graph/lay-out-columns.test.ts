import { describe, expect, it } from 'vitest';
import type { ProgressEdge } from '../to-progress.ts';
import { READABLE_ZOOM } from './choose-stage-view.ts';
import { layOutColumns } from './lay-out-columns.ts';
import type { DrawnGraph, GraphLayout, Point } from './lay-out-graph.ts';

const CARD = { width: 208, height: 74 };
const sizeOf = () => CARD;
/** The stage in a window of 1440×900 with both panels open. */
const SCREEN = { width: 734, height: 711 };
const MOST = SCREEN.height / READABLE_ZOOM;

const node = (id: string): DrawnGraph['nodes'][number] => ({
  ...{ id, title: id, type: 'step', progress: 'ahead', isRefused: false, agentId: undefined },
});
const edge = (from: string, to: string, label = ''): ProgressEdge => ({
  ...{ id: `${from} ${to}`, from, to, label, isAccepted: false, isRefused: false },
});
const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `n${index}`);

function chain(count: number, ...more: readonly ProgressEdge[]): DrawnGraph {
  const names = ids(count);
  return {
    nodes: names.map(node),
    edges: [...names.slice(1).map((to, index) => edge(`n${index}`, to)), ...more],
  };
}

/** Edges that cross a node other than their own. */
function findCrossed({ nodes, edges }: DrawnGraph, { positions, routes }: GraphLayout): readonly string[] {
  return edges.flatMap(({ id, from, to }) => {
    const points = alongRoute(routes.get(id)?.points ?? []);
    return nodes
      .filter((other) => other.id !== from && other.id !== to)
      .filter((other) => {
        const at = positions.get(other.id);
        return at && points.some((point) => isIn(at, point));
      })
      .map((other) => `${id} crosses ${other.id}`);
  });
}

function alongRoute(points: readonly Point[]): readonly Point[] {
  return points.slice(1).flatMap((end, index) => {
    const start = points[index] ?? end;
    return Array.from({ length: 51 }, (_, step) => ({
      x: start.x + ((end.x - start.x) * step) / 50,
      y: start.y + ((end.y - start.y) * step) / 50,
    }));
  });
}

function isIn({ x, y }: Point, point: Point): boolean {
  return point.x > x && point.x < x + CARD.width && point.y > y && point.y < y + CARD.height;
}

describe('a long graph', () => {
  it.each([
    ['a chain', chain(40)],
    ['branches', chain(40, ...[3, 12, 21, 30].map((at) => edge(`n${at}`, `n${at + 2}`, 'without it')))],
  ] as const)('[U19] of 40 nodes is readable in a window of 1440×900 with one pan: %s', (_, graph) => {
    const { width, height } = layOutColumns(graph, sizeOf, MOST);
    expect(height * READABLE_ZOOM).toBeLessThanOrEqual(SCREEN.height);
    expect(width * READABLE_ZOOM).toBeLessThanOrEqual(2 * SCREEN.width);
  });

  it('[U19] that fits is one column', () => {
    const { positions } = layOutColumns(chain(5), sizeOf, MOST);
    expect(new Set([...positions.values()].map(({ x }) => x)).size).toBe(1);
  });

  it.each([
    ['a chain', chain(40)],
    [
      'ways back and past',
      chain(40, edge('n30', 'n4', 'again'), edge('n2', 'n35', 'skip'), edge('n12', 'n9')),
    ],
    [
      'branches',
      chain(40, ...[3, 9, 15, 21, 27, 33].map((at) => edge(`n${at}`, `n${at + 2}`, 'without it'))),
    ],
  ] as const)('[U19] draws no edge across a node: %s', (_, graph) => {
    const layout = layOutColumns(graph, sizeOf, MOST);
    expect(layout.routes.size).toBe(graph.edges.length);
    expect(findCrossed(graph, layout)).toEqual([]);
    const corners = [...layout.positions.values()];
    expect(Math.min(...corners.map(({ x }) => x))).toBeGreaterThanOrEqual(0);
    expect(Math.max(...corners.map(({ x }) => x)) + CARD.width).toBeLessThanOrEqual(layout.width);
  });

  it('[U19] keeps a step above those that follow it, whatever leads back to it', () => {
    const { positions } = layOutColumns(chain(6, edge('n0', 'n3'), edge('n5', 'n2')), sizeOf, MOST);
    const heights = ids(6).map((id) => positions.get(id)?.y ?? 0);
    expect(heights).toEqual([...heights].sort((one, other) => one - other));
  });
});
