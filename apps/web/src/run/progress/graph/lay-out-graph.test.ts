import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ProgressEdge } from '../to-progress.ts';
import { type DrawnGraph, type GraphLayout, layOutAny, layOutGraph, type Size } from './lay-out-graph.ts';

const node = (id: string): DrawnGraph['nodes'][number] => ({
  ...{ id, title: id, type: 'step', progress: 'ahead', isRefused: false, agentId: undefined },
});
const edge = (from: string, to: string): ProgressEdge => ({
  ...{ id: `${from} ${to}`, from, to, label: 'next', isAccepted: false, isRefused: false },
});

/** To hundredths: the library adds and subtracts. */
function toRounded({ positions, routes, width, height }: GraphLayout) {
  const round = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (_, one: unknown) =>
      typeof one === 'number' ? Math.round(one * 100) / 100 : one,
    );
  const sorted = (map: ReadonlyMap<string, unknown>): unknown =>
    [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  return round({ positions: sorted(positions), routes: sorted(routes), width, height });
}

const length = fc.integer({ min: 20, max: 400 });

it('[U19] a chain is laid out as the library does it, whatever the order of its nodes', () => {
  const size = fc.record({ width: length, height: length });
  const made = fc.array(size, { minLength: 1, maxLength: 12 }).chain((sizes) =>
    fc.tuple(
      fc.constant(sizes),
      fc.shuffledSubarray(
        sizes.map((_, at) => at),
        { minLength: sizes.length },
      ),
      fc.boolean(),
    ),
  );
  fc.assert(
    fc.property(made, ([sizes, order, isTight]) => {
      const nodes = order.map((at) => node(`n${at}`));
      const edges = sizes.slice(1).map((_, at) => edge(`n${at}`, `n${at + 1}`));
      const sizeOf = (id: string): Size => sizes[Number(id.slice(1))] ?? { width: 0, height: 0 };
      const graph = { nodes, edges };
      expect(toRounded(layOutGraph(graph, 'down', sizeOf, { isTight }))).toEqual(
        toRounded(layOutAny(graph, 'down', sizeOf, { isTight })),
      );
    }),
    { numRuns: 60 },
  );
});

it.each([
  ['a loop beside a step', ['a', 'b', 'c'], [edge('b', 'c'), edge('c', 'b')]],
  ['an edge that leads nowhere', ['a', 'b'], [edge('a', 'x')]],
])('[U19] every node has a place: %s', (_, ids, edges) => {
  const { positions } = layOutGraph({ nodes: ids.map(node), edges }, 'down');
  expect([...positions.keys()].sort()).toEqual(ids);
});
