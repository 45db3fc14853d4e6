/**
 * The live graph of a run: completed, current and upcoming nodes, and the edges taken. Loaded lazily; the list contains the same
 * information.
 */
import {
  Background,
  BaseEdge,
  Controls,
  type Edge,
  type EdgeProps,
  MarkerType,
  ReactFlow,
  useReactFlow,
  useStore,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import './progress-graph.css';
import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react';

import { useTranslation } from '../../../i18n/use-translation.ts';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import type { Progress, ProgressNode } from '../to-progress.ts';
import { chooseViewport } from './choose-viewport.ts';
import { type GraphLevel, layOutLevel, parentOf, toAbsolute } from './graph-level.ts';
import {
  type EdgeRoute,
  type GraphDirection,
  labelOf,
  NODE_HEIGHT,
  NODE_WIDTH,
  toPath,
} from './lay-out-graph.ts';
import { type FlowNode, StepNode } from './step-node.tsx';

interface ProgressGraphProps {
  readonly progress: Progress;
  /** The same with the graphs of the sub-workflows that are opened in it. */
  readonly level?: GraphLevel | undefined;
  readonly direction?: GraphDirection;
  readonly chosenId?: string | undefined;
  readonly onOpenNode: (nodeId: string) => void;
  /** Opens a node that calls a workflow in place, or closes it. */
  readonly onToggle?: ((path: string, isOpen: boolean) => void) | undefined;
  /** A node of a called run. */
  readonly onChooseRun?: ((runId: string) => void) | undefined;
}

const NOTHING_INSIDE: Omit<GraphLevel, 'progress'> = {
  runId: undefined,
  inner: new Map(),
  callers: new Set(),
};

type Positions = ReturnType<typeof toAbsolute>;

export default function ProgressGraph(props: ProgressGraphProps) {
  const { progress, direction = 'right', chosenId, onOpenNode, onToggle, onChooseRun } = props;
  const level = props.level ?? { progress, ...NOTHING_INSIDE };
  const { t } = useTranslation();
  const shape = shapeOf(level);
  // Where nodes stand depends on the graph alone, and takes longer than drawing them.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape is what counts
  const { boxes, routes } = useMemo(() => layOutLevel(level, direction), [shape, direction]);
  const positions = useMemo(() => toAbsolute(boxes), [boxes]);
  const describe = (node: ProgressNode): string =>
    [
      toShownLine(node.title),
      t(`progress.${node.progress}`),
      ...(node.isRefused ? [t('progress.refused')] : []),
    ].join(', ');
  const nodes = toFlowNodes(level, { boxes, direction, chosenId, describe, onToggle });
  const edges = toFlowEdges(level, routes);
  const open = ({ id, data }: FlowNode): void => {
    if (parentOf(id) === undefined) onOpenNode(id);
    else if (data.runId !== undefined) onChooseRun?.(data.runId);
  };
  return (
    <section aria-label={t('progress.graph')} className="h-full w-full">
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        minZoom={0.15}
        maxZoom={2}
        // The wheel scrolls the page; Ctrl+wheel and pinching zoom.
        zoomOnScroll={false}
        preventScrolling={false}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        onNodeClick={(_, node) => open(node)}
        onKeyDown={(event) =>
          openWithKeys(event, (id) => nodes.filter((node) => node.id === id).forEach(open))
        }
        deleteKeyCode={null}
        // Allowed by the library's licence (MIT).
        proOptions={{ hideAttribution: true }}
        ariaLabelConfig={{
          'controls.zoomIn.ariaLabel': t('progress.zoomIn'),
          'controls.zoomOut.ariaLabel': t('progress.zoomOut'),
          'controls.fitView.ariaLabel': t('progress.fit'),
        }}
      >
        <InSight positions={positions} focusId={chosenId ?? focusOf(level)} direction={direction} />
        <Background gap={20} size={1} />
        <Controls showInteractive={false} orientation="horizontal" />
      </ReactFlow>
    </section>
  );
}

/** Nodes are focusable; the library can select a focused node but not open it. */
function openWithKeys(event: KeyboardEvent, onOpenNode: (nodeId: string) => void): void {
  if (event.key !== 'Enter' && event.key !== ' ') return;
  const { target } = event;
  if (!(target instanceof HTMLElement) || !target.classList.contains('react-flow__node')) return;
  event.preventDefault();
  if (target.dataset.id !== undefined) onOpenNode(target.dataset.id);
}

interface InSightProps {
  readonly positions: Positions;
  readonly focusId: string | undefined;
  readonly direction: GraphDirection;
}

/** Keeps the open node, else the current one, in view. Does not interfere while the user pans. */
function InSight({ positions, focusId, direction }: InSightProps) {
  const { setViewport } = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const hasMoved = useRef(false);
  useEffect(() => {
    const node = focusId === undefined ? undefined : positions.get(focusId);
    if (!node || width === 0 || height === 0) return;
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const duration = hasMoved.current && !isCalm ? MOVE_MS : 0;
    void setViewport(chooseViewport([...positions.values()], node, { width, height }, direction), {
      duration,
    });
    hasMoved.current = true;
  }, [setViewport, positions, focusId, direction, width, height]);
  return undefined;
}

const MOVE_MS = 250;

/** Path of the node to show: the current node, in expanded sub-workflows too; else the last completed one; else the first. */
function focusOf({ progress: { nodes }, inner }: GraphLevel): string | undefined {
  const focused =
    nodes.find(({ progress }) => progress === 'current') ??
    nodes.findLast(({ progress }) => progress === 'done') ??
    nodes[0];
  const opened = focused?.progress === 'current' ? inner.get(focused.id) : undefined;
  const deeper = opened && focusOf(opened);
  return deeper === undefined ? focused?.id : `${focused?.id} ${deeper}`;
}

/** Equal while the layout does not change. */
function shapeOf({ progress: { nodes, edges }, inner }: GraphLevel): string {
  const own = nodes.map(({ id }) => id).join() + edges.map(({ id }) => id).join();
  return own + [...inner].map(([id, level]) => `${id}{${shapeOf(level)}}`).join();
}

interface FlowOptions {
  readonly boxes: ReturnType<typeof layOutLevel>['boxes'];
  readonly direction: GraphDirection;
  readonly chosenId: string | undefined;
  readonly describe: (node: ProgressNode) => string;
  readonly onToggle: ProgressGraphProps['onToggle'];
}

/** Nodes of the flow; a node that contains others comes before them. */
function toFlowNodes(level: GraphLevel, options: FlowOptions, path = ''): FlowNode[] {
  const { boxes, direction, chosenId, describe, onToggle } = options;
  return level.progress.nodes.flatMap((node) => {
    const id = path + node.id;
    const { x = 0, y = 0, width = NODE_WIDTH, height = NODE_HEIGHT } = boxes.get(id) ?? {};
    const opened = level.inner.get(node.id);
    const toggle =
      onToggle && level.callers.has(node.id) ? (): void => onToggle(id, opened === undefined) : undefined;
    const flow: FlowNode = {
      ...{ id, parentId: parentOf(id), type: 'step', position: { x, y }, width, height },
      data: {
        node,
        direction,
        runId: path === '' ? undefined : level.runId,
        isOpen: opened !== undefined,
        toggle,
      },
      selected: id === chosenId,
      ariaLabel: describe(node),
    };
    return opened ? [flow, ...toFlowNodes(opened, options, `${id} `)] : [flow];
  });
}

type Routes = ReturnType<typeof layOutLevel>['routes'];

function toFlowEdges({ progress, inner }: GraphLevel, routes: Routes, path = ''): FlowEdge[] {
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

const NODE_TYPES = { step: StepNode };
const EDGE_TYPES = { routed: RoutedEdge };

type FlowEdge = Edge<{ readonly route: EdgeRoute }, 'routed'>;

/** An edge of the graph, drawn along its route. */
function RoutedEdge({ id, data, label, markerEnd }: EdgeProps<FlowEdge>) {
  if (!data) return undefined;
  const { x, y } = data.route.label;
  return <BaseEdge {...{ id, label, markerEnd }} path={toPath(data.route)} labelX={x} labelY={y} />;
}
