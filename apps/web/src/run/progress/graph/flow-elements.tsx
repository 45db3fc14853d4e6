/** Nodes and edges of a graph with its opened sub-workflows, as the drawing library takes them. */
import { BaseEdge, type Edge, type EdgeProps, MarkerType, type NodeHandle, Position } from '@xyflow/react';
import type { KeyboardEvent } from 'react';
import type { ProgressNode } from '../to-progress.ts';
import { type GraphLevel, type LevelLayout, parentOf } from './graph-level.ts';
import { type EdgeRoute, type GraphDirection, labelOf, toPath } from './lay-out-graph.ts';
import type { FlowNode } from './step-node.tsx';

/** Path of the node to show: the current node, in expanded sub-workflows too; else the last completed one; else the first. */
export function focusOf({ progress: { nodes }, inner }: GraphLevel): string | undefined {
  const focused =
    nodes.find(({ progress }) => progress === 'current') ??
    nodes.findLast(({ progress }) => progress === 'done') ??
    nodes[0];
  const opened = focused?.progress === 'current' ? inner.get(focused.id) : undefined;
  const deeper = opened && focusOf(opened);
  return deeper === undefined ? focused?.id : `${focused?.id} ${deeper}`;
}

/** Equal while the layout does not change. */
export function shapeOf({ progress: { nodes, edges }, inner }: GraphLevel): string {
  const own = nodes.map(({ id }) => id).join() + edges.map(({ id }) => id).join();
  return own + [...inner].map(([id, level]) => `${id}{${shapeOf(level)}}`).join();
}

export interface FlowOptions {
  readonly boxes: LevelLayout['boxes'];
  readonly direction: GraphDirection;
  readonly chosenId: string | undefined;
  readonly describe: (node: ProgressNode, runId: string | undefined) => string;
  /** Opens a node that calls a workflow in place, or closes it. */
  readonly onToggle: ((path: string, isOpen: boolean) => void) | undefined;
  /** Edges can be drawn. */
  readonly isConnectable?: boolean;
}

/** Nodes of the flow; a node that contains others comes before them. */
export function toFlowNodes(level: GraphLevel, options: FlowOptions, path = ''): FlowNode[] {
  const { boxes, direction, chosenId, describe, onToggle, isConnectable = false } = options;
  return level.progress.nodes.flatMap((node) => {
    const id = path + node.id;
    const { x = 0, y = 0, width = 0, height = 0 } = boxes.get(id) ?? {};
    const opened = level.inner.get(node.id);
    const toggle =
      onToggle && level.callers.has(node.id) ? (): void => onToggle(id, opened === undefined) : undefined;
    const flow: FlowNode = {
      ...{ id, parentId: parentOf(id), type: 'step', position: { x, y }, width, height },
      // Without these the library measures all nodes again after each event of the run.
      measured: { width, height },
      handles: toHandles(width, height, direction),
      data: {
        node,
        direction,
        runId: level.runId,
        isOpen: opened !== undefined,
        isConnectable,
        toggle,
      },
      selected: id === chosenId,
      ariaLabel: describe(node, level.runId),
    };
    return opened ? [flow, ...toFlowNodes(opened, options, `${id} `)] : [flow];
  });
}

/** Where an edge that is drawn begins and ends; the others follow their routes. */
function toHandles(width: number, height: number, direction: GraphDirection): NodeHandle[] {
  const isDown = direction === 'down';
  const [x, y] = isDown ? [width / 2, height] : [width, height / 2];
  return [
    { type: 'target', position: isDown ? Position.Top : Position.Left, x: isDown ? x : 0, y: isDown ? 0 : y },
    { type: 'source', position: isDown ? Position.Bottom : Position.Right, x, y },
  ].map((handle) => ({ ...handle, width: 1, height: 1 }) as NodeHandle);
}

export function toFlowEdges(
  { progress, inner }: GraphLevel,
  routes: LevelLayout['routes'],
  path = '',
): FlowEdge[] {
  const own = progress.edges.flatMap((edge): FlowEdge[] => {
    const { id, from, to, isAccepted, isRefused } = edge;
    const route = routes.get(path + id);
    if (!route) return [];
    const color = isAccepted ? 'var(--ok)' : isRefused ? 'var(--warn)' : 'var(--control)';
    return [
      {
        ...{ id: path + id, type: 'routed', source: path + from, target: path + to, data: { route } },
        label: labelOf(edge, progress.edges) || undefined,
        markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14, color },
        className: isAccepted ? 'is-taken' : isRefused ? 'is-refused' : '',
      },
    ];
  });
  return [...own, ...[...inner].flatMap(([id, level]) => toFlowEdges(level, routes, `${path}${id} `))];
}

/** Calls back with the node that has the focus, on Enter or Space: the library can select a focused node but not open it. */
export function openWithKeys(event: KeyboardEvent, onOpen: (id: string) => void): void {
  if (event.key !== 'Enter' && event.key !== ' ') return;
  const id = focusedNode(event);
  if (id === undefined) return;
  event.preventDefault();
  onOpen(id);
}

/** The node that a key was pressed on; undefined for a button inside of it. */
export function focusedNode({ target }: KeyboardEvent): string | undefined {
  const isNode = target instanceof HTMLElement && target.classList.contains('react-flow__node');
  return isNode ? target.dataset.id : undefined;
}

const EDGE_TYPES = { routed: RoutedEdge };

type FlowEdge = Edge<{ readonly route: EdgeRoute }, 'routed'>;

/** An edge of the graph, drawn along its route. */
function RoutedEdge({ id, data, label, markerEnd }: EdgeProps<FlowEdge>) {
  if (!data) return undefined;
  const { x, y } = data.route.label;
  return <BaseEdge {...{ id, label, markerEnd }} path={toPath(data.route)} labelX={x} labelY={y} />;
}

/** Of every graph: it is looked at, not edited. */
export const FLOW_OPTIONS = {
  edgeTypes: EDGE_TYPES,
  minZoom: 0.15,
  maxZoom: 2,
  nodesDraggable: false,
  nodesConnectable: false,
  edgesFocusable: false,
  deleteKeyCode: null,
  // Allowed by the library's licence (MIT).
  proOptions: { hideAttribution: true },
} as const;
