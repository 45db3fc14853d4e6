/**
 * The graph of a run, live: what is done, where it is, what lies ahead, which ways were taken. Loaded lazily; the list says
 * the same.
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
import { labelOf, layOutGraph, NODE_HEIGHT, NODE_WIDTH } from './lay-out-graph.ts';

interface ProgressGraphProps {
  readonly progress: Progress;
  readonly chosenId?: string | undefined;
  readonly onOpenNode: (nodeId: string) => void;
}

type FlowNode = Node<{ node: ProgressNode }, 'step'>;
type Places = ReturnType<typeof layOutGraph>;

export default function ProgressGraph({ progress, chosenId, onOpenNode }: ProgressGraphProps) {
  const { t } = useTranslation();
  const shape = progress.nodes.map(({ id }) => id).join() + progress.edges.map(({ id }) => id).join();
  // Where nodes stand depends on the graph alone, and takes longer than drawing them.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape is what counts
  const places = useMemo(() => layOutGraph(progress), [shape]);
  const nodes = progress.nodes.map(
    (node): FlowNode => ({
      id: node.id,
      type: 'step',
      position: places.get(node.id) ?? { x: 0, y: 0 },
      data: { node },
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
        // The wheel is the page's; with Ctrl, and by pinching, it brings nearer.
        zoomOnScroll={false}
        preventScrolling={false}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        onNodeClick={(_, { id }) => onOpenNode(id)}
        onKeyDown={(event) => openWithKeys(event, onOpenNode)}
        deleteKeyCode={null}
        ariaLabelConfig={{
          'controls.zoomIn.ariaLabel': t('progress.zoomIn'),
          'controls.zoomOut.ariaLabel': t('progress.zoomOut'),
          'controls.fitView.ariaLabel': t('progress.fit'),
        }}
      >
        <InSight places={places} placeId={chosenId ?? placeOf(progress)} />
        <Background gap={20} size={1} />
        <Controls showInteractive={false} orientation="horizontal" />
      </ReactFlow>
    </section>
  );
}

/** A node has the focus by itself; the library only knows how to choose it, not how to open it. */
function openWithKeys(event: KeyboardEvent, onOpenNode: (nodeId: string) => void): void {
  if (event.key !== 'Enter' && event.key !== ' ') return;
  const { target } = event;
  if (!(target instanceof HTMLElement) || !target.classList.contains('react-flow__node')) return;
  event.preventDefault();
  if (target.dataset.id !== undefined) onOpenNode(target.dataset.id);
}

/** Keeps in sight what one looks at: the node that is open, else where the run is. Whoever moves the graph is left alone until then. */
function InSight({ places, placeId }: { readonly places: Places; readonly placeId: string | undefined }) {
  const { setViewport } = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const hasMoved = useRef(false);
  useEffect(() => {
    const place = placeId === undefined ? undefined : places.get(placeId);
    if (!place || width === 0 || height === 0) return;
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const duration = hasMoved.current && !isCalm ? MOVE_MS : 0;
    void setViewport(chooseInSight([...places.values()], place, { width, height }), { duration });
    hasMoved.current = true;
  }, [setViewport, places, placeId, width, height]);
  return undefined;
}

const MOVE_MS = 250;

/** Where it is; where it ended; else where it begins. */
function placeOf({ nodes }: Progress): string | undefined {
  const place =
    nodes.find(({ progress }) => progress === 'current') ??
    nodes.findLast(({ progress }) => progress === 'done') ??
    nodes[0];
  return place?.id;
}

const NODE_TYPES = { step: StepNode };

function StepNode({ data: { node }, selected }: NodeProps<FlowNode>) {
  return (
    <div
      className={classNames(
        'flex h-full w-full items-center gap-2 border bg-raised px-2.5 text-start',
        node.type === 'decision' || node.type === 'merge' ? 'rounded-xl border-dashed' : 'rounded-lg',
        BORDERS[node.progress],
        selected && 'ring-2 ring-accent',
      )}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <NodeMark node={node} />
      <span
        className={classNames(
          'line-clamp-2 text-sm',
          node.progress === 'done' || node.progress === 'current' ? 'font-medium' : 'text-ink-soft',
        )}
      >
        {toShownLine(node.title)}
      </span>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
}

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
