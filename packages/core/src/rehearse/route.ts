/**
 * Routes through a workflow's graph for rehearsals: each follows edges that no run has followed yet, nearest first, and then
 * the shortest path to an end. No route follows an edge more than twice. Pure.
 */
import type { GraphEdge, WorkflowGraph } from '@crewagent/protocol/workflow';
import { edgesByOrigin } from '../workflow/graph.ts';

/** A graph with the edges that a run can be observed to follow. */
export interface RouteMap {
  readonly entry: string;
  /** Outgoing edges by node id, the default first: no duplicates, none from an end node, none from a node to itself. */
  readonly outgoingEdges: ReadonlyMap<string, readonly GraphEdge[]>;
  /** A run that completes this node is complete. */
  isTerminal(nodeId: string): boolean;
}

export interface Route {
  readonly edges: readonly GraphEdge[];
  /** It ends where a run ends; otherwise no usable edge leads to an end. */
  readonly isFinal: boolean;
}

export function toRouteMap(graph: WorkflowGraph): RouteMap {
  const outgoing = edgesByOrigin(graph);
  const ends = new Set(graph.nodes.filter(({ type }) => type === 'end').map(({ id }) => id));
  const outgoingEdges = [...outgoing].map(([id, edges]): [string, GraphEdge[]] => {
    const distinct = new Map(edges.map((edge) => [edgeKey(edge), edge]));
    const usable = [...distinct.values()].filter(({ to }) => to !== id && !ends.has(id));
    return [id, usable.sort((a, b) => Number(b.isDefault) - Number(a.isDefault))];
  });
  return {
    entry: graph.entryNodeId,
    outgoingEdges: new Map(outgoingEdges),
    isTerminal: (nodeId) => ends.has(nodeId) || outgoing.get(nodeId)?.length === 0,
  };
}

/** Identity of an edge: the state document contains no more than this. */
export function edgeKey({ from, to, label }: Pick<GraphEdge, 'from' | 'to' | 'label'>): string {
  return JSON.stringify([from, to, label]);
}

/** Beyond this, a route takes the shortest path to an end; the next route covers the rest. */
const MAX_SEARCH_EDGES = 400;

/**
 * A route from the entry over wanted edges, without excluded ones; undefined if it would follow none. The search follows each
 * edge once, so that with the path to the end it is followed twice at most.
 */
export function planRoute(
  map: RouteMap,
  isWanted: (edge: GraphEdge) => boolean,
  isExcluded: (edge: GraphEdge) => boolean,
): Route | undefined {
  const followed = new Set<GraphEdge>();
  const isUsable = (edge: GraphEdge): boolean => !followed.has(edge) && !isExcluded(edge);
  let at = map.entry;
  while (followed.size < MAX_SEARCH_EDGES) {
    const leg = findPath(map, at, isUsable, isWanted);
    if (!leg) break;
    for (const edge of leg) followed.add(edge);
    at = leg.at(-1)?.to ?? at;
  }
  if (followed.size === 0) return undefined;
  const { edges, isFinal } = planRouteToEnd(map, at, isExcluded);
  return { edges: [...followed, ...edges], isFinal };
}

/** The shortest path from a node to where a run ends. */
export function planRouteToEnd(map: RouteMap, from: string, isExcluded: (edge: GraphEdge) => boolean): Route {
  if (map.isTerminal(from)) return { edges: [], isFinal: true };
  const path = findPath(
    map,
    from,
    (edge) => !isExcluded(edge),
    ({ to }) => map.isTerminal(to),
  );
  return { edges: path ?? [], isFinal: path !== undefined };
}

/** The shortest path whose last edge is a goal. */
function findPath(
  { outgoingEdges }: RouteMap,
  from: string,
  isUsable: (edge: GraphEdge) => boolean,
  isGoal: (edge: GraphEdge) => boolean,
): GraphEdge[] | undefined {
  const arrivals = new Map<string, GraphEdge | undefined>([[from, undefined]]);
  // Iterating a Map includes keys that are added meanwhile.
  for (const id of arrivals.keys()) {
    for (const edge of outgoingEdges.get(id) ?? []) {
      if (!isUsable(edge)) continue;
      if (isGoal(edge)) return [...traceBack(arrivals, id), edge];
      if (!arrivals.has(edge.to)) arrivals.set(edge.to, edge);
    }
  }
  return undefined;
}

function traceBack(arrivals: ReadonlyMap<string, GraphEdge | undefined>, to: string): GraphEdge[] {
  const path: GraphEdge[] = [];
  for (let edge = arrivals.get(to); edge; edge = arrivals.get(edge.from)) path.push(edge);
  return path.reverse();
}
