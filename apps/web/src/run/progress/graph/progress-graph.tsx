/**
 * The live graph of a run: completed, current and upcoming nodes, and the edges taken. Loaded lazily; the list contains the same
 * information.
 */
import {
  Background,
  Controls,
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  useReactFlow,
  useStore,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import './progress-graph.css';
import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { classNames } from '../../../ui/class-names.ts';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { NodeMark } from '../node/node-mark.tsx';
import type { Progress, ProgressNode } from '../to-progress.ts';
import { chooseInSight } from './choose-in-sight.ts';
import { type GraphDirection, labelOf, layOutGraph, NODE_HEIGHT, NODE_WIDTH } from './lay-out-graph.ts';

interface ProgressGraphProps {
  readonly progress: Progress;
  readonly direction?: GraphDirection;
  readonly chosenId?: string | undefined;
  readonly onOpenNode: (nodeId: string) => void;
}

type FlowNode = Node<{ node: ProgressNode; direction: GraphDirection }, 'step'>;
type Positions = ReturnType<typeof layOutGraph>;

export default function ProgressGraph(props: ProgressGraphProps) {
  const { progress, direction = 'right', chosenId, onOpenNode } = props;
  const { t } = useTranslation();
  const shape = progress.nodes.map(({ id }) => id).join() + progress.edges.map(({ id }) => id).join();
  // The layout depends only on the graph's shape, and is slower than rendering.
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends only on the shape
  const positions = useMemo(() => layOutGraph(progress, direction), [shape, direction]);
  const nodes = progress.nodes.map(
    (node): FlowNode => ({
      id: node.id,
      type: 'step',
      position: positions.get(node.id) ?? { x: 0, y: 0 },
      data: { node, direction },
      width: NODE_WIDTH,
      height: NODE_HEIGHT,
      selected: node.id === chosenId,
      ariaLabel: [
        toShownLine(node.title),
        t(`progress.${node.progress}`),
        ...(node.isRefused ? [t('progress.refused')] : []),
      ].join(', '),
    }),
  );
  const edges = progress.edges.map((edge) => toFlowEdge(edge, progress));
  return (
    <section aria-label={t('progress.graph')} className="h-full w-full">
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        minZoom={0.15}
        maxZoom={2}
        // The wheel scrolls the page; Ctrl+wheel and pinching zoom.
        zoomOnScroll={false}
        preventScrolling={false}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        onNodeClick={(_, { id }) => onOpenNode(id)}
        onKeyDown={(event) => openWithKeys(event, onOpenNode)}
        deleteKeyCode={null}
        // Allowed by the library's licence (MIT).
        proOptions={{ hideAttribution: true }}
        ariaLabelConfig={{
          'controls.zoomIn.ariaLabel': t('progress.zoomIn'),
          'controls.zoomOut.ariaLabel': t('progress.zoomOut'),
          'controls.fitView.ariaLabel': t('progress.fit'),
        }}
      >
        <InSight positions={positions} focusId={chosenId ?? focusOf(progress)} direction={direction} />
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
    void setViewport(chooseInSight([...positions.values()], node, { width, height }, direction), {
      duration,
    });
    hasMoved.current = true;
  }, [setViewport, positions, focusId, direction, width, height]);
  return undefined;
}

const MOVE_MS = 250;

/** The current node, else the last one, else the first. */
function focusOf({ nodes }: Progress): string | undefined {
  const node =
    nodes.find(({ progress }) => progress === 'current') ??
    nodes.findLast(({ progress }) => progress === 'done') ??
    nodes[0];
  return node?.id;
}

const NODE_TYPES = { step: StepNode };

function StepNode({ data: { node, direction }, selected }: NodeProps<FlowNode>) {
  const isDown = direction === 'down';
  const title = toShownLine(node.title);
  return (
    <>
      <Handle type="target" position={isDown ? Position.Top : Position.Left} isConnectable={false} />
      {node.type === 'decision' ? (
        <Decision node={node} title={title} isChosen={selected} />
      ) : (
        <div
          title={title}
          className={classNames(
            'flex h-full w-full items-center gap-2 border bg-raised px-2.5 text-start',
            node.type === 'merge' ? 'rounded-full' : 'rounded-lg',
            BORDERS[node.progress],
            selected && 'ring-2 ring-accent',
          )}
        >
          <NodeMark node={node} />
          <span className={classNames('line-clamp-2 text-sm', textColorOf(node))}>{title}</span>
        </div>
      )}
      <Handle type="source" position={isDown ? Position.Bottom : Position.Right} isConnectable={false} />
    </>
  );
}

interface DecisionProps {
  readonly node: ProgressNode;
  readonly title: string;
  readonly isChosen: boolean | undefined;
}

/** A diamond, as in flow charts. */
function Decision({ node, title, isChosen }: DecisionProps) {
  return (
    <div title={title} className="relative flex h-full w-full items-center justify-center">
      <svg
        aria-hidden="true"
        viewBox="0 0 168 56"
        className={classNames('absolute inset-0 h-full w-full overflow-visible', DIAMONDS[node.progress])}
      >
        <path
          d="M84 -6 L172 28 L84 62 L-4 28 Z"
          strokeLinejoin="round"
          strokeWidth={isChosen ? 2.5 : 1.25}
          stroke="currentColor"
        />
      </svg>
      <span className="relative flex max-w-26 items-center gap-1.5">
        <NodeMark node={node} />
        <span className={classNames('line-clamp-2 text-xs leading-tight', textColorOf(node))}>{title}</span>
      </span>
    </div>
  );
}

function textColorOf({ progress }: ProgressNode): string {
  return progress === 'done' || progress === 'current' ? 'font-medium' : 'text-ink-soft';
}

const DIAMONDS = {
  done: 'text-ok fill-raised',
  current: 'text-accent-text fill-accent-soft',
  ahead: 'text-line-strong fill-raised',
  notNeeded: 'text-line fill-raised',
} as const;

const BORDERS = {
  done: 'border-ok',
  current: 'border-accent-text bg-accent-soft',
  ahead: 'border-line-strong',
  notNeeded: 'border-line',
} as const;

function toFlowEdge(edge: Progress['edges'][number], { edges }: Progress): Edge {
  const { id, from, to, isAccepted, isRefused } = edge;
  const label = labelOf(edge, edges);
  return {
    id,
    source: from,
    target: to,
    ...(label === '' ? {} : { label }),
    markerEnd: {
      type: MarkerType.ArrowClosed,
      width: 14,
      height: 14,
      color: isAccepted ? 'var(--ok)' : isRefused ? 'var(--warn)' : 'var(--control)',
    },
    className: isAccepted ? 'is-taken' : isRefused ? 'is-refused' : '',
  };
}
