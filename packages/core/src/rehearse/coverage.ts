/**
 * What of a workflow's graph the rehearsed runs have covered, where to go next, and why the rest was missed. Pure.
 * Covered is a node that a run completed, and an edge that a state document moved along.
 */
import { toStatus } from '@crewagent/protocol/status';
import type { GraphEdge, WorkflowGraph } from '@crewagent/protocol/workflow';
import { reachableNodes } from '../workflow/graph.ts';
import { edgeKey, planHome, planRoute, type Route, toRouteMap } from './route.ts';
import type { RehearsedRun, WalkedRun } from './run.ts';
import type { CalledWalk } from './walk.ts';

export interface Count {
  readonly covered: number;
  readonly total: number;
}

/**
 * `unreachable`, `behind-end` and `stays` are what no rehearsal can reach or see; the others are left to be desired.
 */
export type MissedReason = 'unreachable' | 'behind-end' | 'stays' | 'failed' | 'limit' | 'stopped';

export type Missed =
  | { readonly kind: 'node'; readonly id: string; readonly reason: MissedReason; readonly message: string }
  | {
      readonly kind: 'edge';
      readonly from: string;
      readonly to: string;
      readonly label: string;
      readonly reason: MissedReason;
      readonly message: string;
    };

export interface Coverage {
  /** Undefined when nothing is left that a run could cover. */
  nextRoute(): Route | undefined;
  add(route: Route, walked: WalkedRun): void;
  /** What a run covered that another workflow called. */
  addCalled(walk: CalledWalk): void;
  nodes(): Count;
  edges(): Count;
  /** `cut`: what ended the rehearsal before its time, if anything did. */
  missed(cut: 'limit' | 'stopped' | undefined): Missed[];
}

export function createCoverage(graph: WorkflowGraph): Coverage {
  const map = toRouteMap(graph);
  const edges = new Map(graph.edges.map((edge) => [edgeKey(edge), edge]));
  const nodesSeen = new Set<string>();
  const edgesSeen = new Set<string>();
  const badEdges = new Map<string, string>();
  const badNodes = new Map<string, string>();
  const isBarred = (edge: GraphEdge): boolean => badEdges.has(edgeKey(edge));
  let hasRun = false;

  return {
    nextRoute() {
      const route = planRoute(map, (edge) => !edgesSeen.has(edgeKey(edge)), isBarred);
      // A workflow without an edge to take is rehearsed once, too.
      return route ?? (hasRun ? undefined : planHome(map, map.entry, isBarred));
    },
    add(route, { run, edges: taken, nodesCompleted }) {
      hasRun = true;
      for (const id of nodesCompleted) nodesSeen.add(id);
      for (const key of taken) edgesSeen.add(key);
      const { kind } = toStatus(run);
      if (kind === 'completed' || kind === 'stopped') return;
      const failed = route.edges.find((edge, index) => taken[index] !== edgeKey(edge));
      if (failed) badEdges.set(edgeKey(failed), describeStop(run, failed.from));
      else badNodes.set(run.path.at(-1) ?? map.entry, describeStop(run, run.path.at(-1) ?? map.entry));
    },
    addCalled({ edges: taken, nodesCompleted }) {
      for (const id of nodesCompleted) nodesSeen.add(id);
      for (const key of taken) edgesSeen.add(key);
    },
    nodes: () => ({ covered: nodesSeen.size, total: graph.nodes.length }),
    edges: () => ({
      covered: [...edges.keys()].filter((key) => edgesSeen.has(key)).length,
      total: edges.size,
    }),
    missed(cut) {
      const reachable = reachableNodes(map.entry, map.ways);
      const ends = new Set(graph.nodes.filter(({ type }) => type === 'end').map(({ id }) => id));
      const judgeNode = (id: string): Verdict => {
        if (!reachable.has(id)) return verdict('unreachable', 'no way leads there from the entry');
        return judgeReachable(badNodes.get(id), cut);
      };
      const judgeEdge = (edge: GraphEdge): Verdict => {
        if (!reachable.has(edge.from)) return judgeNode(edge.from);
        if (ends.has(edge.from))
          return verdict('behind-end', 'it leads out of an end node, where a run is over');
        if (edge.from === edge.to) return verdict('stays', 'a run that takes it is seen to stay where it is');
        return judgeReachable(badEdges.get(edgeKey(edge)), cut);
      };
      return [
        ...graph.nodes
          .filter(({ id }) => !nodesSeen.has(id))
          .map(({ id }): Missed => ({ kind: 'node', id, ...judgeNode(id) })),
        ...[...edges]
          .filter(([key]) => !edgesSeen.has(key))
          .map(([, edge]): Missed => {
            const { from, to, label } = edge;
            return { kind: 'edge', from, to, label, ...judgeEdge(edge) };
          }),
      ];
    },
  };
}

/** Whether the rehearsal, or the package, has something to be blamed for. */
export function isShortfall({ reason }: Missed): boolean {
  return reason === 'failed' || reason === 'limit' || reason === 'stopped';
}

function describeStop({ reason }: RehearsedRun, at: string): string {
  return `a run could not go on from "${at}": ${reason?.message ?? 'it gave no reason.'}`;
}

interface Verdict {
  readonly reason: MissedReason;
  readonly message: string;
}

function judgeReachable(issue: string | undefined, cut: 'limit' | 'stopped' | undefined): Verdict {
  if (issue !== undefined) return verdict('failed', issue);
  if (cut === 'limit') return verdict('limit', 'the number of runs was used up');
  if (cut === 'stopped') return verdict('stopped', 'the rehearsal was stopped');
  return verdict('failed', 'every way there leads over an edge that could not be taken');
}

function verdict(reason: MissedReason, message: string): Verdict {
  return { reason, message };
}
