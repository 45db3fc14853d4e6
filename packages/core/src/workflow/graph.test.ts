import type { WorkflowGraph } from '@crewagent/protocol/workflow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closedCycles, edgesByOrigin, reachableNodes } from './graph.ts';

function graphOf(nodes: readonly string[], edges: readonly (readonly [string, string])[]): WorkflowGraph {
  return {
    schemaVersion: '1.1',
    entryNodeId: nodes[0] ?? '',
    nodes: nodes.map((id) => ({ id, type: 'step', file: `${id}.md` })),
    edges: edges.map(([from, to]) => ({ from, to, label: 'x', isDefault: false })),
  };
}

describe('a graph', () => {
  it('[B14] finds the nodes reachable from the entry', () => {
    const outgoing = edgesByOrigin(
      graphOf(
        ['a', 'b', 'c', 'd'],
        [
          ['a', 'b'],
          ['b', 'a'],
          ['c', 'd'],
        ],
      ),
    );
    expect([...reachableNodes('a', outgoing)].sort()).toEqual(['a', 'b']);
  });

  it('[B14] finds only cycles without an exit', () => {
    const cycles = (nodes: string[], edges: [string, string][]): string[][] =>
      closedCycles(edgesByOrigin(graphOf(nodes, edges)));
    expect(cycles(['a', 'b'], [['a', 'b']])).toEqual([]);
    expect(cycles(['a'], [['a', 'a']])).toEqual([['a']]);
    expect(
      cycles(
        ['a', 'b', 'c'],
        [
          ['a', 'b'],
          ['b', 'a'],
          ['b', 'c'],
        ],
      ),
    ).toEqual([]);
    expect(
      cycles(
        ['a', 'b', 'c'],
        [
          ['a', 'b'],
          ['b', 'c'],
          ['c', 'b'],
        ],
      ),
    ).toEqual([['b', 'c']]);
  });

  it('[B14] finds exactly the cycles without an exit, on any graph', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const edge = fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...ids));
    fc.assert(
      fc.property(fc.array(edge, { maxLength: 14 }), (edges) => {
        const outgoing = edgesByOrigin(graphOf(ids, edges));
        const reach = new Map(
          ids.map((id) => [
            id,
            new Set(outgoing.get(id)?.flatMap(({ to }) => [...reachableNodes(to, outgoing)])),
          ]),
        );
        // A node is trapped if it lies on a cycle and every node it reaches leads back to it.
        const trapped = ids.filter((id) => {
          const reached = reach.get(id);
          return reached?.has(id) && [...reached].every((other) => reach.get(other)?.has(id));
        });
        expect(closedCycles(outgoing).flat().sort()).toEqual(trapped);
      }),
    );
  });

  it('[B20] handles a chain of a hundred thousand nodes', () => {
    const ids = Array.from({ length: 100_000 }, (_, index) => `n${index}`);
    const outgoing = edgesByOrigin(
      graphOf(
        ids,
        ids.slice(1).map((id, index) => [`n${index}`, id] as const),
      ),
    );
    expect(reachableNodes('n0', outgoing).size).toBe(100_000);
    expect(closedCycles(outgoing)).toEqual([]);
  });
});
