/**
 * Queries on a workflow graph, from nodes and edges alone. Pure, and iterative: a hostile graph may be a chain of a
 * hundred thousand nodes.
 */
import type { GraphEdge, WorkflowGraph } from '@crewagent/protocol/workflow';

/** Outgoing edges by node id, in the order of the file. */
export function edgesByOrigin(graph: WorkflowGraph): ReadonlyMap<string, readonly GraphEdge[]> {
  const outgoing = new Map<string, GraphEdge[]>(graph.nodes.map((node) => [node.id, []]));
  for (const edge of graph.edges) outgoing.get(edge.from)?.push(edge);
  return outgoing;
}

/** The entry node and all nodes reachable from it. */
export function reachableNodes(
  entry: string,
  outgoing: ReadonlyMap<string, readonly GraphEdge[]>,
): ReadonlySet<string> {
  const seen = new Set<string>();
  const pending = [entry];
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (seen.has(id) || !outgoing.has(id)) continue;
    seen.add(id);
    for (const edge of outgoing.get(id) ?? []) pending.push(edge.to);
  }
  return seen;
}

/**
 * Cycles without an exit: once inside, a run can never leave. Tarjan's strongly connected components with an explicit
 * stack.
 */
export function closedCycles(outgoing: ReadonlyMap<string, readonly GraphEdge[]>): string[][] {
  return components(outgoing).filter((component) => {
    const members = new Set(component);
    const edges = component.flatMap((id) => outgoing.get(id) ?? []);
    return edges.length > 0 && edges.every((edge) => members.has(edge.to));
  });
}

/** Anything that leads to something by its id. */
type Ways = ReadonlyMap<string, readonly Pick<GraphEdge, 'to'>[]>;

interface Visit {
  readonly id: string;
  readonly order: number;
  low: number;
  next: number;
}

/** Strongly connected components; what a component leads to comes before it. */
export function components(outgoing: Ways): string[][] {
  const visits = new Map<string, Visit>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const found: string[][] = [];

  const enter = (id: string, path: Visit[]): void => {
    const visit = { id, order: visits.size, low: visits.size, next: 0 };
    visits.set(id, visit);
    open.push(id);
    isOpen.add(id);
    path.push(visit);
  };
  const close = (root: string): string[] => {
    const members = [];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      isOpen.delete(id);
      members.push(id);
      if (id === root) break;
    }
    return members.reverse();
  };

  for (const root of outgoing.keys()) {
    if (visits.has(root)) continue;
    const path: Visit[] = [];
    enter(root, path);
    for (let current = path.at(-1); current; current = path.at(-1)) {
      const edge = outgoing.get(current.id)?.[current.next++];
      if (edge) {
        const target = visits.get(edge.to);
        if (!target && outgoing.has(edge.to)) enter(edge.to, path);
        else if (target && isOpen.has(edge.to)) current.low = Math.min(current.low, target.order);
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent) parent.low = Math.min(parent.low, current.low);
      if (current.low === current.order) found.push(close(current.id));
    }
  }
  return found;
}
