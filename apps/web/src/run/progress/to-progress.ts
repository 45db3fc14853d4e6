/**
 * Progress of a run, node by node and edge by edge, from its view and graph. Pure.
 */
import type { ShownNode } from '@crewagent/protocol/api/packages';
import { toStatus } from '@crewagent/protocol/status';
import { createStory, type Story } from '@crewagent/protocol/story/story';
import type { GraphEdge } from '@crewagent/protocol/workflow';

/** All known runs of a conversation, called ones too, by id. */
export type Runs = ReadonlyMap<string, Readonly<Story>>;

/** The part of a graph that is needed. */
export interface ShownGraph {
  readonly nodes: readonly (Pick<ShownNode, 'id' | 'agentId' | 'subworkflow'> &
    Partial<Pick<ShownNode, 'title' | 'type'>>)[];
  readonly edges: readonly GraphEdge[];
}

/** `notNeeded`: the run completed on another path. */
export type NodeProgress = 'done' | 'current' | 'ahead' | 'notNeeded';

export interface ProgressNode extends Pick<ShownNode, 'id' | 'title' | 'type'> {
  readonly progress: NodeProgress;
  /** A transition to it was rejected. */
  readonly isRefused: boolean;
  readonly agentId: string | undefined;
  /** Part of a package that is edited: nothing runs, and `current` is where a run starts. */
  readonly isDraft?: true;
}

export interface ProgressEdge extends Pick<GraphEdge, 'from' | 'to' | 'label'> {
  readonly id: string;
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
  /** A completed node that is visited again is current; a complete run has no current node. */
  const progressOf = (id: string): NodeProgress => {
    const isCurrent = id === view.state.currentNodeId;
    if (isComplete) return completed.has(id) || isCurrent ? 'done' : 'notNeeded';
    if (isCurrent) return 'current';
    return completed.has(id) ? 'done' : 'ahead';
  };
  const agents = new Map(graph?.nodes.map(({ id, agentId }) => [id, agentId]));
  const nodes = view.nodes.map(
    ({ id, title, type }): ProgressNode => ({
      id,
      title,
      type,
      progress: progressOf(id),
      isRefused: refused.has(id),
      agentId: agents.get(id) ?? view.visits.findLast(({ nodeId }) => nodeId === id)?.agentId,
    }),
  );
  const edges = (graph?.edges ?? []).map(({ id, from, to, label }): ProgressEdge => {
    const way = wayOf({ from, to });
    const [isAccepted, isRefused] = [taken.has(way), refusedWays.has(way)];
    return { id: id ?? `${from} ${to} ${label}`, from, to, label, isAccepted, isRefused };
  });
  const count = (wanted: NodeProgress): number => nodes.filter(({ progress }) => progress === wanted).length;
  return { nodes, edges, done: count('done'), notNeeded: count('notNeeded') };
}

type Way = Pick<GraphEdge, 'from' | 'to'>;

/** The story of a run that has not started. */
export function toUnstarted({ nodes }: ShownGraph): Story {
  const known = nodes.map(({ id, title = id, type = 'step' }) => ({ id, title, type }));
  return { ...createStory(''), nodes: known };
}

/** Each step leads to the next: a graph would add nothing to the list. */
export function isPlainSequence({ edges }: { readonly edges: readonly Way[] }): boolean {
  const isOnce = (ids: readonly string[]): boolean => new Set(ids).size === ids.length;
  return isOnce(edges.map(({ from }) => from)) && isOnce(edges.map(({ to }) => to));
}

/** From 0 to 1, of the needed nodes. */
export function shareOf({ nodes, done, notNeeded }: Progress): number {
  const needed = nodes.length - notNeeded;
  return needed === 0 ? 0 : done / needed;
}

function wayOf({ from, to }: Way): string {
  return `${from} ${to}`;
}
