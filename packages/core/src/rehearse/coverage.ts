/**
 * Coverage of a workflow by rehearsed runs: what is covered, which route is next, and why the rest was missed. A node is covered
 * when a run completed it, an edge when the state document followed it, a halt when its node was left after the person was heard,
 * a check when it was judged and met. Pure.
 */
import type { EvidenceSheet } from '@crewagent/protocol/evidence';
import { toStatus } from '@crewagent/protocol/status';
import type { GraphEdge, WorkflowGraph } from '@crewagent/protocol/workflow';
import type { Workflow, WorkflowNode } from '../bmad/check/workflow-package.ts';
import { reachableNodes } from '../workflow/graph.ts';
import type { Step } from './models/step.ts';
import { edgeKey, planRoute, planRouteToEnd, type Route, toRouteMap } from './route.ts';
import type { RehearsedRun, WalkedRun } from './run.ts';

export interface Count {
  readonly covered: number;
  readonly total: number;
}

/** `unreachable`, `behind-end` and `stays` cannot be covered by any rehearsal; the others are shortfalls. */
export type MissedReason = 'unreachable' | 'behind-end' | 'stays' | 'failed' | 'limit' | 'stopped';

export type Missed = Verdict &
  (
    | { readonly kind: 'node'; readonly id: string }
    | { readonly kind: 'edge'; readonly from: string; readonly to: string; readonly label: string }
  );

export type Coverage = ReturnType<typeof createCoverage>;

/** What else is covered besides nodes and edges. */
export type ProofTargets = ReturnType<typeof toProofTargets>;

export function createCoverage(graph: WorkflowGraph, targets: ProofTargets) {
  const map = toRouteMap(graph);
  const edges = new Map(graph.edges.map((edge) => [edgeKey(edge), edge]));
  const coveredNodes = new Set<string>();
  const coveredEdges = new Set<string>();
  const heard = new Set<string>();
  const met = new Set<string>();
  const failedEdges = new Map<string, string>();
  const failedNodes = new Map<string, string>();
  const isExcluded = (edge: GraphEdge): boolean => failedEdges.has(edgeKey(edge));
  let hasRun = false;

  function cover({ edges: followed, nodesCompleted }: Pick<WalkedRun, 'edges' | 'nodesCompleted'>): void {
    for (const id of nodesCompleted) coveredNodes.add(id);
    for (const key of followed) coveredEdges.add(key);
  }

  return {
    /** Undefined if there is nothing left that a run could cover. */
    nextRoute(): Route | undefined {
      const route = planRoute(map, (edge) => !coveredEdges.has(edgeKey(edge)), isExcluded);
      // A workflow without edges is also rehearsed once.
      return route ?? (hasRun ? undefined : planRouteToEnd(map, map.entry, isExcluded));
    },
    add(route: Route, walked: WalkedRun): void {
      const { run, edges: followed } = walked;
      hasRun = true;
      cover(walked);
      const { kind } = toStatus(run);
      if (kind === 'completed' || kind === 'stopped') return;
      const failed = route.edges.find((edge, index) => followed[index] !== edgeKey(edge));
      if (failed) failedEdges.set(edgeKey(failed), describeStop(run, failed.from));
      else failedNodes.set(run.path.at(-1) ?? map.entry, describeStop(run, run.path.at(-1) ?? map.entry));
    },
    /** Adds the coverage of a called run. */
    addCalled: cover,
    addEvidence({ visits }: Pick<EvidenceSheet, 'visits'>): void {
      for (const { nodeId, outcome, spoken, checks } of visits) {
        if (outcome !== 'open' && spoken.length > 0) heard.add(nodeId);
        for (const { id } of checks)
          if (checks.every((check) => check.id !== id || check.ok)) met.add(checkKey(nodeId, id));
      }
    },
    halts: (): Count => countOf(targets.halts, heard),
    checks: (): Count => countOf(targets.checks, met),
    nodes: (): Count => ({ covered: coveredNodes.size, total: graph.nodes.length }),
    edges: (): Count => countOf(new Set(edges.keys()), coveredEdges),
    /** `cut`: why the rehearsal ended early, if it did. */
    missed(cut: 'limit' | 'stopped' | undefined): Missed[] {
      const reachable = reachableNodes(map.entry, map.outgoingEdges);
      const ends = new Set(graph.nodes.filter(({ type }) => type === 'end').map(({ id }) => id));
      const explainNode = (id: string): Verdict => {
        if (!reachable.has(id)) return verdict('unreachable', 'it cannot be reached from the entry');
        return explainReachable(failedNodes.get(id), cut);
      };
      const explainEdge = (edge: GraphEdge): Verdict => {
        if (!reachable.has(edge.from)) return explainNode(edge.from);
        if (ends.has(edge.from)) return verdict('behind-end', 'it starts at an end node, where a run ends');
        if (edge.from === edge.to) return verdict('stays', STAYS);
        return explainReachable(failedEdges.get(edgeKey(edge)), cut);
      };
      return [
        ...graph.nodes
          .filter(({ id }) => !coveredNodes.has(id))
          .map(({ id }): Missed => ({ kind: 'node', id, ...explainNode(id) })),
        ...[...edges]
          .filter(([key]) => !coveredEdges.has(key))
          .map(([, edge]): Missed => {
            const { from, to, label } = edge;
            return { kind: 'edge', from, to, label, ...explainEdge(edge) };
          }),
      ];
    },
  };
}

function countOf(wanted: ReadonlySet<string>, found: ReadonlySet<string>): Count {
  return { covered: [...wanted].filter((key) => found.has(key)).length, total: wanted.size };
}

function checkKey(nodeId: string, id: string): string {
  return `${nodeId} ${id}`;
}

/** By ref of the workflow. `steps`: by path of their file. */
export function toCoverages(
  workflows: readonly Workflow[],
  steps: ReadonlyMap<string, Step>,
): ReadonlyMap<string, Coverage> {
  const isHalting = ({ file }: WorkflowNode): boolean => steps.get(file)?.isHalting === true;
  return new Map(
    workflows.map(({ ref, graph, nodes }) => [ref, createCoverage(graph, toProofTargets(nodes, isHalting))]),
  );
}

export function toProofTargets(
  nodes: ReadonlyMap<string, WorkflowNode>,
  isHalting: (node: WorkflowNode) => boolean,
) {
  const own = [...nodes.values()].filter(({ subworkflow }) => subworkflow === undefined);
  return {
    /** Ids of the nodes that stop for the person. */
    halts: new Set(own.filter((node) => node.proof?.waits || isHalting(node)).map(({ id }) => id)),
    /** Keys of the checks of all nodes. */
    checks: new Set(
      own.flatMap(({ id, proof }) =>
        [
          ...(proof?.produces ?? []).map(({ path }) => path),
          ...(proof?.consumes ?? []).filter(({ mustRead }) => mustRead).map(({ path }) => path),
          ...(proof?.verify ?? []).map(({ run }) => `verify: ${run}`),
        ].map((check) => checkKey(id, check)),
      ),
    ),
  };
}

/** Whether the reason counts against the package or the rehearsal. */
export function isShortfall({ reason }: Missed): boolean {
  return reason === 'failed' || reason === 'limit' || reason === 'stopped';
}

const STAYS = 'it leads back to its own node, which does not change the position of a run';

function describeStop({ reason }: RehearsedRun, at: string): string {
  return `a run could not continue from "${at}": ${reason?.message ?? 'it gave no reason.'}`;
}

interface Verdict {
  readonly reason: MissedReason;
  readonly message: string;
}

function explainReachable(issue: string | undefined, cut: 'limit' | 'stopped' | undefined): Verdict {
  if (issue !== undefined) return verdict('failed', issue);
  if (cut === 'limit') return verdict('limit', 'the limit on the number of runs was reached');
  if (cut === 'stopped') return verdict('stopped', 'the rehearsal was stopped');
  return verdict('failed', 'every path to it contains an edge that could not be followed');
}

function verdict(reason: MissedReason, message: string): Verdict {
  return { reason, message };
}
