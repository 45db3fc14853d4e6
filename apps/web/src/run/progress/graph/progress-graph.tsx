/**
 * The live graph of a run: completed, current and upcoming nodes, and the edges taken. Loaded lazily; the list contains the same
 * information.
 */
import {
  Background,
  type Connection,
  Controls,
  type Edge,
  ReactFlow,
  useReactFlow,
  useStore,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import './progress-graph.css';
import { useEffect, useMemo, useRef } from 'react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import type { Progress, ProgressNode } from '../to-progress.ts';
import { chooseStageView, highestColumn } from './choose-stage-view.ts';
import { chooseViewport } from './choose-viewport.ts';
import { FLOW_OPTIONS, focusOf, openWithKeys, shapeOf, toFlowEdges, toFlowNodes } from './flow-elements.tsx';
import { type GraphLevel, type LevelStyle, layOutLevel, parentOf, toAbsolute } from './graph-level.ts';
import { layOutColumns } from './lay-out-columns.ts';
import { type GraphDirection, layOutGraph, NODE_HEIGHT, NODE_WIDTH, type Size } from './lay-out-graph.ts';
import { type FlowNode, StepNode } from './step-node.tsx';
import { useSize } from './use-size.ts';

interface ProgressGraphProps {
  readonly progress: Progress;
  /** The same with the graphs of the sub-workflows that are opened in it. */
  readonly level?: GraphLevel | undefined;
  readonly direction?: GraphDirection;
  /** Goes down in columns as high as the screen, like the stage. */
  readonly isWrapped?: boolean;
  readonly chosenId?: string | undefined;
  readonly onOpenNode: (nodeId: string) => void;
  /** Opens a node that calls a workflow in place, or closes it. */
  readonly onToggle?: ((path: string, isOpen: boolean) => void) | undefined;
  /** A node of a called run. */
  readonly onChooseRun?: ((runId: string) => void) | undefined;
  /** Of a graph that is edited: edges can be opened and drawn. */
  readonly editing?: GraphEditing | undefined;
}

export interface GraphEditing {
  readonly chosenEdge: string | undefined;
  readonly onOpenEdge: (edgeId: string) => void;
  readonly onConnect: (from: string, to: string) => void;
}

const NOTHING_INSIDE: Omit<GraphLevel, 'progress'> = {
  runId: undefined,
  inner: new Map(),
  callers: new Set(),
};

type Positions = ReturnType<typeof toAbsolute>;

export default function ProgressGraph(props: ProgressGraphProps) {
  const { progress, isWrapped = false, chosenId, onOpenNode, onToggle, onChooseRun, editing } = props;
  const direction = isWrapped ? 'down' : (props.direction ?? 'right');
  const root = useRef<HTMLElement>(null);
  const frame = useSize(root);
  const screen = useMemo(
    () => (isWrapped && frame ? { ...frame, height: frame.height - BELOW } : undefined),
    [isWrapped, frame],
  );
  const most = screen && highestColumn(screen);
  const level = props.level ?? { progress, ...NOTHING_INSIDE };
  const { t } = useTranslation();
  const shape = shapeOf(level);
  // Where nodes stand depends on the graph alone, and takes longer than drawing them.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape is what counts
  const layout = useMemo(() => layOutLevel(level, styleOf(direction, most)), [shape, direction, most]);
  const { boxes, routes } = layout;
  const positions = useMemo(() => toAbsolute(boxes), [boxes]);
  const describe = (node: ProgressNode): string =>
    [
      toShownLine(node.title),
      ...(node.isDraft ? [] : [t(`progress.${node.progress}`)]),
      ...(node.isDraft && node.progress === 'current' ? [t('progress.start')] : []),
      ...(node.isRefused ? [t('progress.refused')] : []),
    ].join(', ');
  const isConnectable = editing !== undefined;
  const nodes = toFlowNodes(level, { boxes, direction, chosenId, describe, onToggle, isConnectable });
  const titles = new Map(nodes.map(({ id, data }) => [id, toShownLine(data.node.title)]));
  const edges = toFlowEdges(level, routes).map((edge) => {
    const ends = { from: titles.get(edge.source) ?? '', to: titles.get(edge.target) ?? '' };
    const named = { ...edge, ariaLabel: t('progress.edge', ends) };
    return edge.id === editing?.chosenEdge ? { ...named, selected: true, className: 'is-chosen' } : named;
  });
  const open = ({ id, data }: FlowNode): void => {
    if (parentOf(id) === undefined) onOpenNode(id);
    else if (data.runId !== undefined) onChooseRun?.(data.runId);
  };
  return (
    <section
      ref={root}
      aria-label={t('progress.graph')}
      className={`h-full w-full ${editing ? 'is-edited' : ''}`}
    >
      {isWrapped && !screen ? undefined : (
        <ReactFlow
          {...FLOW_OPTIONS}
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          // The wheel scrolls the page; Ctrl+wheel and pinching zoom.
          zoomOnScroll={false}
          panOnScroll={isWrapped}
          preventScrolling={isWrapped}
          {...(editing ? toEditing(editing) : {})}
          onNodeClick={(_, node) => open(node)}
          onKeyDown={(event) =>
            openWithKeys(event, (id) => nodes.filter((node) => node.id === id).forEach(open))
          }
          ariaLabelConfig={{
            'controls.zoomIn.ariaLabel': t('progress.zoomIn'),
            'controls.zoomOut.ariaLabel': t('progress.zoomOut'),
            'controls.fitView.ariaLabel': t('progress.fit'),
          }}
        >
          <InSight
            {...{ positions, direction, isWrapped, screen, layout }}
            focusId={chosenId ?? focusOf(level)}
          />
          <Background gap={20} size={1} />
          <Controls showInteractive={false} orientation="horizontal" className="pointer-coarse:hidden!" />
        </ReactFlow>
      )}
    </section>
  );
}

function toEditing({ onOpenEdge, onConnect }: GraphEditing) {
  return {
    nodesConnectable: true,
    onEdgeClick: (_: unknown, { id }: Edge) => onOpenEdge(id),
    onConnect: ({ source, target }: Connection) => onConnect(source, target),
  };
}

interface InSightProps {
  readonly positions: Positions;
  readonly focusId: string | undefined;
  readonly direction: GraphDirection;
  readonly isWrapped: boolean;
  /** Of a wrapped graph. */
  readonly screen: Size | undefined;
  readonly layout: Size;
}

/** Keeps the open node, else the current one, in view. Does not interfere while the user pans. */
function InSight({ positions, focusId, direction, isWrapped, screen, layout }: InSightProps) {
  const { setViewport } = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const hasMoved = useRef(false);
  useEffect(() => {
    const node = focusId === undefined ? undefined : positions.get(focusId);
    if (!node || width === 0 || height === 0 || (isWrapped && !screen)) return;
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const duration = hasMoved.current && !isCalm ? MOVE_MS : 0;
    const viewport = screen
      ? chooseStageView(layout, node, screen)
      : chooseViewport([...positions.values()], node, { width, height }, direction);
    void setViewport(viewport, { duration });
    hasMoved.current = true;
  }, [setViewport, positions, focusId, direction, width, height, isWrapped, screen, layout]);
  return undefined;
}

const MOVE_MS = 200;

/** Room for the buttons of a wrapped graph, which cover no node then. */
const BELOW = 44;

/** `most`: the height of a column, where there are columns. */
function styleOf(direction: GraphDirection, most: number | undefined): LevelStyle {
  return {
    size: { width: NODE_WIDTH, height: NODE_HEIGHT },
    layOut: (graph, sizeOf) =>
      most === undefined ? layOutGraph(graph, direction, sizeOf) : layOutColumns(graph, sizeOf, most),
  };
}

const NODE_TYPES = { step: StepNode };
