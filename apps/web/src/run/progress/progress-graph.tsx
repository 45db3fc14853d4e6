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
  type ReactFlowInstance,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import './progress-graph.css';
import { type KeyboardEvent, useMemo } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { classNames } from '../../ui/class-names.ts';
import { toShownLine } from '../../ui/foreign-text.ts';
import { layOutGraph, NODE_HEIGHT, NODE_WIDTH } from './lay-out-graph.ts';
import { NodeMark } from './node-mark.tsx';
import type { Progress, ProgressNode } from './to-progress.ts';

interface ProgressGraphProps {
  readonly progress: Progress;
  readonly chosenId?: string | undefined;
  readonly onOpenNode: (nodeId: string) => void;
}

type FlowNode = Node<{ node: ProgressNode }, 'step'>;

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
        onInit={(flow) => void showWhereItIs(flow, progress)}
        minZoom={0.15}
        maxZoom={2}
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

/** All of it where that can be read, else the current node with what is before and behind it. */
async function showWhereItIs(
  flow: ReactFlowInstance<FlowNode>,
  { nodes, edges, done }: Progress,
): Promise<void> {
  await flow.fitView({ padding: 0.1, maxZoom: 1 });
  if (flow.getZoom() >= READABLE) return;
  const place = nodes.find(({ progress }) => progress === 'current') ?? nodes.at(done === 0 ? 0 : -1);
  if (!place) return;
  const around = edges.flatMap(({ from, to }) =>
    from === place.id ? [{ id: to }] : to === place.id ? [{ id: from }] : [],
  );
  await flow.fitView({ nodes: [{ id: place.id }, ...around], minZoom: READABLE, maxZoom: READABLE });
}

const READABLE = 0.7;

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
          node.progress === 'ahead' ? 'text-ink-soft' : 'font-medium',
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
} as const;

/** The only way on needs no name. */
function toFlowEdge(edge: Progress['edges'][number], { edges }: Progress): Edge {
  const { id, from, to, label, isTaken, isRefused } = edge;
  const isOnlyWay = edges.filter((other) => other.from === from).length === 1;
  return {
    id,
    source: from,
    target: to,
    ...(isOnlyWay ? {} : { label: toShownLine(label) }),
    markerEnd: {
      type: MarkerType.ArrowClosed,
      width: 14,
      height: 14,
      color: isTaken ? 'var(--ok)' : isRefused ? 'var(--warn)' : 'var(--control)',
    },
    className: isTaken ? 'is-taken' : isRefused ? 'is-refused' : '',
  };
}
