/**
 * Routes through a workflow's graph for rehearsals: each takes edges that no run has taken yet, nearest first, and then the
 * shortest way to an end. No route takes an edge more than twice. Pure.
 */
import type { GraphEdge, WorkflowGraph } from '@crewagent/protocol/workflow';
import { edgesByOrigin } from '../workflow/graph.ts';

/** A graph as runs can be seen to walk it. */
export interface RouteMap {
  readonly entry: string;
  /** Node id → ways on, the default first: no edge twice, none out of an end node, none from a node to itself. */
  readonly ways: ReadonlyMap<string, readonly GraphEdge[]>;
  /** A run that completes this node is complete. */
  isTerminal(nodeId: string): boolean;
}

export interface Route {
  readonly edges: readonly GraphEdge[];
  /** It ends where a run ends; otherwise nothing that may be taken leads to such a place. */
  readonly isFinal: boolean;
}

export function toRouteMap(graph: WorkflowGraph): RouteMap {
  const outgoing = edgesByOrigin(graph);
  const ends = new Set(graph.nodes.filter(({ type }) => type === 'end').map(({ id }) => id));
  const ways = [...outgoing].map(([id, edges]): [string, GraphEdge[]] => {
    const distinct = new Map(edges.map((edge) => [edgeKey(edge), edge]));
    const onward = [...distinct.values()].filter(({ to }) => to !== id && !ends.has(id));
    return [id, onward.sort((a, b) => Number(b.isDefault) - Number(a.isDefault))];
  });
  return {
    entry: graph.entryNodeId,
    ways: new Map(ways),
    isTerminal: (nodeId) => ends.has(nodeId) || outgoing.get(nodeId)?.length === 0,
  };
}

/** What tells an edge from all others: the state document knows no more of it. */
export function edgeKey({ from, to, label }: Pick<GraphEdge, 'from' | 'to' | 'label'>): string {
  return JSON.stringify([from, to, label]);
}

/** Beyond this a route goes home; what it leaves out is for the next one. */
const MAX_SEARCH_EDGES = 400;

/**
 * A route from the entry over edges that are wanted, avoiding barred ones; undefined when it would take none. On the way to
 * what is wanted each edge is taken once, so that with the way home it is twice at most.
 */
export function planRoute(
  map: RouteMap,
  isWanted: (edge: GraphEdge) => boolean,
  isBarred: (edge: GraphEdge) => boolean,
): Route | undefined {
  const taken = new Set<GraphEdge>();
  const mayTake = (edge: GraphEdge): boolean => !taken.has(edge) && !isBarred(edge);
  let at = map.entry;
  while (taken.size < MAX_SEARCH_EDGES) {
    const leg = findWay(map, at, mayTake, isWanted);
    if (!leg) break;
    for (const edge of leg) taken.add(edge);
    at = leg.at(-1)?.to ?? at;
  }
  if (taken.size === 0) return undefined;
  const { edges, isFinal } = planHome(map, at, isBarred);
  return { edges: [...taken, ...edges], isFinal };
}

/** The shortest way from a node to where a run ends. */
export function planHome(map: RouteMap, from: string, isBarred: (edge: GraphEdge) => boolean): Route {
  if (map.isTerminal(from)) return { edges: [], isFinal: true };
  const way = findWay(
    map,
    from,
    (edge) => !isBarred(edge),
    ({ to }) => map.isTerminal(to),
  );
  return { edges: way ?? [], isFinal: way !== undefined };
}

/** The shortest way whose last edge is the goal. */
function findWay(
  { ways }: RouteMap,
  from: string,
  mayTake: (edge: GraphEdge) => boolean,
  isGoal: (edge: GraphEdge) => boolean,
): GraphEdge[] | undefined {
  const arrivals = new Map<string, GraphEdge | undefined>([[from, undefined]]);
  // A map tells its keys in the order they came, those that are added on the way included.
  for (const id of arrivals.keys()) {
    for (const edge of ways.get(id) ?? []) {
      if (!mayTake(edge)) continue;
      if (isGoal(edge)) return [...traceBack(arrivals, id), edge];
      if (!arrivals.has(edge.to)) arrivals.set(edge.to, edge);
    }
  }
  return undefined;
}

function traceBack(arrivals: ReadonlyMap<string, GraphEdge | undefined>, to: string): GraphEdge[] {
  const way: GraphEdge[] = [];
  for (let edge = arrivals.get(to); edge; edge = arrivals.get(edge.from)) way.push(edge);
  return way.reverse();
}
