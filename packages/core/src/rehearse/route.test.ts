import { type GraphEdge, type WorkflowGraph, workflowGraphSchema } from '@crewagent/protocol/workflow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { edgesByOrigin, reachableNodes } from '../workflow/graph.ts';
import { edgeKey, planRoute, type Route, toRouteMap } from './route.ts';

type Ends = readonly [from: string, to: string, label?: string, isDefault?: boolean];

function toGraph(edges: readonly Ends[], ends: readonly string[] = ['end']): WorkflowGraph {
  const ids = [...new Set(['a', ...edges.flatMap((edge) => [edge[0], edge[1]])])];
  return workflowGraphSchema.parse({
    schemaVersion: '1.1',
    entryNodeId: 'a',
    nodes: ids.map((id) => ({ id, type: ends.includes(id) ? 'end' : 'step', file: `${id}.md` })),
    edges: edges.map(([from, to, label = 'next', isDefault = false]) => ({ from, to, label, isDefault })),
  });
}

/** All routes, if each one is completed before the next is planned. */
function allRoutes(graph: WorkflowGraph, excluded: readonly string[] = []): Route[] {
  const map = toRouteMap(graph);
  const seen = new Set<string>();
  const routes: Route[] = [];
  for (;;) {
    const route = planRoute(
      map,
      (edge) => !seen.has(edgeKey(edge)),
      (edge) => excluded.includes(edge.to),
    );
    if (!route) return routes;
    routes.push(route);
    for (const edge of route.edges) seen.add(edgeKey(edge));
  }
}

function paths(routes: readonly Route[]): string[] {
  return routes.map(({ edges }) => ['a', ...edges.map(({ to }) => to)].join(' '));
}

describe('routes', () => {
  it('[X1] the first follows the default edges, the next ones follow new edges', () => {
    const graph = toGraph([
      ['a', 'b'],
      ['a', 'c', 'other', true],
      ['b', 'end'],
      ['c', 'end'],
    ]);
    expect(paths(allRoutes(graph))).toEqual(['a c end', 'a b end']);
  });

  it('[X1] a loop is followed once, and left', () => {
    const graph = toGraph([
      ['a', 'b'],
      ['b', 'a', 'again'],
      ['b', 'end', 'done', true],
    ]);
    expect(paths(allRoutes(graph))).toEqual(['a b end', 'a b a b end']);
  });

  it('[X1] a default loop is followed before the path to the end', () => {
    const graph = toGraph([
      ['a', 'b'],
      ['b', 'a', 'again', true],
      ['b', 'end', 'done'],
    ]);
    expect(paths(allRoutes(graph))).toEqual(['a b a b end']);
  });

  it('[X1] edges that differ only in their label are two edges', () => {
    const graph = toGraph([
      ['a', 'end', 'yes'],
      ['a', 'end', 'no'],
      ['a', 'end', 'no'],
    ]);
    expect(allRoutes(graph).map(({ edges }) => edges.map(({ label }) => label))).toEqual([['yes'], ['no']]);
  });

  it('[X1] a route that cannot reach an end is not final', () => {
    const graph = toGraph([
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'b'],
    ]);
    expect(allRoutes(graph).map(({ isFinal }) => isFinal)).toEqual([false]);
  });

  it('[X1] an excluded edge is avoided, and so is everything after it', () => {
    const graph = toGraph([
      ['a', 'b'],
      ['b', 'end'],
      ['a', 'end', 'short'],
    ]);
    expect(paths(allRoutes(graph, ['b']))).toEqual(['a end']);
  });

  it('[X1] for any graph, every reachable edge is followed, at most twice per route', () => {
    const node = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'end');
    const edge = fc.tuple(node, node, fc.constantFrom('x', 'y'), fc.boolean());
    fc.assert(
      fc.property(fc.array(edge, { maxLength: 20 }), (edges) => {
        const graph = toGraph(edges);
        const routes = allRoutes(graph);
        expect(routes.length).toBeLessThanOrEqual(edges.length);
        const { outgoingEdges } = toRouteMap(graph);
        const reachable = reachableNodes('a', outgoingEdges);
        const wanted = [...outgoingEdges.values()].flat().filter(({ from }) => reachable.has(from));
        const followed = new Set(routes.flatMap((route) => route.edges.map(edgeKey)));
        expect(followed).toEqual(new Set(wanted.map(edgeKey)));
        for (const route of routes) expectValid(route, graph);
      }),
    );
  });

  it('[X1] a long chain is one route', () => {
    const edges = Array.from(
      { length: 1_500 },
      (_, index): Ends => [index === 0 ? 'a' : `n${index}`, index === 1_499 ? 'end' : `n${index + 1}`],
    );
    const [route, ...others] = allRoutes(toGraph(edges));
    expect([route?.edges.length, others.length]).toEqual([1_500, 0]);
  });
});

function expectValid({ edges, isFinal }: Route, graph: WorkflowGraph): void {
  const times = new Map<GraphEdge, number>();
  let at = 'a';
  for (const edge of edges) {
    expect(edge.from).toBe(at);
    at = edge.to;
    times.set(edge, (times.get(edge) ?? 0) + 1);
  }
  expect(Math.max(...times.values())).toBeLessThanOrEqual(2);
  const isTerminal = (id: string): boolean => id === 'end' || edgesByOrigin(graph).get(id)?.length === 0;
  expect(isFinal).toBe(isTerminal(at));
  if (!isFinal) {
    const { outgoingEdges } = toRouteMap(graph);
    expect([...reachableNodes(at, outgoingEdges)].some(isTerminal)).toBe(false);
  }
}
