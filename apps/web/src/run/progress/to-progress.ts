/**
 * Progress of a run, node by node and edge by edge, from its view and graph. Pure.
 */

import { toStatus } from '@crewagent/protocol/status';
import type { Story } from '@crewagent/protocol/story/story';
import type { GraphEdge, NodeType } from '@crewagent/protocol/workflow';

/** The part of a graph that is needed. */
export interface ShownGraph {
  readonly nodes: readonly {
    readonly id: string;
    readonly title?: string | undefined;
    readonly type?: NodeType | undefined;
    readonly agentId?: string | undefined;
    /** The workflow that it calls. */
    readonly subworkflow?: string | undefined;
  }[];
  readonly edges: readonly GraphEdge[];
}

/** `notNeeded`: the run completed on another path. */
export type NodeProgress = 'done' | 'current' | 'ahead' | 'notNeeded';

export interface ProgressNode {
  readonly id: string;
  readonly title: string;
  readonly type: NodeType;
  readonly progress: NodeProgress;
  /** A transition to it was rejected. */
  readonly isRefused: boolean;
  readonly agentId: string | undefined;
}

export interface ProgressEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly isAccepted: boolean;
  /** A transition along it was rejected. */
  readonly isRefused: boolean;
}

export interface Progress {
  readonly nodes: readonly ProgressNode[];
  readonly edges: readonly ProgressEdge[];
  readonly done: number;
  /** Number of nodes that are not needed. */
  readonly notNeeded: number;
}

export function toProgress(view: Readonly<Story>, graph: ShownGraph | undefined): Progress {
  const taken = new Set<string>();
  const refused = new Set<string>();
  const refusedWays = new Set<string>();
  for (const item of view.timeline) {
    // A rewind follows no edge.
    if (item.kind === 'move' && !item.isRewind) taken.add(wayOf(item));
    if (item.kind === 'notice' && item.refused) {
      refused.add(item.refused.to);
      refusedWays.add(wayOf(item.refused));
    }
  }
  const isComplete = toStatus(view).kind === 'completed';
  const completed = new Set(view.state.stepsCompleted);
  const agents = new Map(graph?.nodes.map(({ id, agentId }) => [id, agentId]));
  const nodes = view.nodes.map(
    ({ id, title, type }): ProgressNode => ({
      id,
      title,
      type,
      progress: progressOf({
        isComplete,
        isDone: completed.has(id),
        isCurrent: id === view.state.currentNodeId,
      }),
      isRefused: refused.has(id),
      agentId: agents.get(id) ?? view.visits.findLast(({ nodeId }) => nodeId === id)?.agentId,
    }),
  );
  const edges = (graph?.edges ?? []).map((edge) => toEdge(edge, taken, refusedWays));
  const count = (wanted: NodeProgress): number => nodes.filter(({ progress }) => progress === wanted).length;
  return { nodes, edges, done: count('done'), notNeeded: count('notNeeded') };
}

/** Each step leads to the next: a graph would add nothing to the list. */
export function isPlainSequence({ edges }: Progress): boolean {
  const isOnce = (ids: readonly string[]): boolean => new Set(ids).size === ids.length;
  return isOnce(edges.map(({ from }) => from)) && isOnce(edges.map(({ to }) => to));
}

/** From 0 to 1, of the needed nodes. */
export function shareOf({ nodes, done, notNeeded }: Progress): number {
  const needed = nodes.length - notNeeded;
  return needed === 0 ? 0 : done / needed;
}

/** A completed node that is visited again is current; a complete run has no current node. */
function progressOf(node: {
  readonly isComplete: boolean;
  readonly isDone: boolean;
  readonly isCurrent: boolean;
}): NodeProgress {
  const { isComplete, isDone, isCurrent } = node;
  if (isComplete) return isDone || isCurrent ? 'done' : 'notNeeded';
  if (isCurrent) return 'current';
  return isDone ? 'done' : 'ahead';
}

function toEdge(
  { id, from, to, label }: GraphEdge,
  taken: ReadonlySet<string>,
  refused: ReadonlySet<string>,
): ProgressEdge {
  const way = wayOf({ from, to });
  return {
    id: id ?? `${from} ${to} ${label}`,
    from,
    to,
    label,
    isAccepted: taken.has(way),
    isRefused: refused.has(way),
  };
}

function wayOf({ from, to }: { readonly from: string; readonly to: string }): string {
  return `${from} ${to}`;
}
