/**
 * The stage: the graph of a run from top to bottom, wrapped into columns, with a card for each node. Opens at the current node;
 * arrow keys follow the edges, Enter shows a step in the timeline, Space its details.
 */
import { Background, Controls, MiniMap, ReactFlow, useReactFlow } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import '../graph/progress-graph.css';
import './stage.css';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { create } from 'zustand';
import { formatCompact, formatCost, formatDuration } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { requestNodeFocus } from '../../../state/node-focus.ts';
import { requestStep } from '../../../state/step-focus.ts';
import { shownPhase } from '../../../state/work-list.ts';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { chooseStageView, highestColumn, NARROW, READABLE_ZOOM } from '../graph/choose-stage-view.ts';
import type { Viewport } from '../graph/choose-viewport.ts';
import {
  FLOW_OPTIONS,
  focusedNode,
  focusOf,
  shapeOf,
  toFlowEdges,
  toFlowNodes,
} from '../graph/flow-elements.tsx';
import {
  type GraphLevel,
  type LevelLayout,
  layOutLevel,
  parentOf,
  toAbsolute,
} from '../graph/graph-level.ts';
import { layOutColumns } from '../graph/lay-out-columns.ts';
import type { Point, Size } from '../graph/lay-out-graph.ts';
import type { FlowNode } from '../graph/step-node.tsx';
import { useSize } from '../graph/use-size.ts';
import { type NodeFigures, toNodeFigures } from '../node/node-figures.ts';
import type { ProgressPanelProps } from '../progress-panel.tsx';
import type { ProgressNode } from '../to-progress.ts';
import { useGraphLevel } from '../use-graph-level.ts';
import { followEdge } from './follow-edges.ts';
import { CARD, NARROW_CARD, StageCard, StageContext, type StageFacts } from './stage-card.tsx';

export default function RunStage(props: ProgressPanelProps) {
  const { projectId, view, graph, runs, onChooseRun } = props;
  const { t } = useTranslation();
  const { level, toggle } = useGraphLevel(view, graph, runs);
  const root = useRef<HTMLElement>(null);
  const frame = useSize(root);
  const figures = useFigures(props);
  const facts: StageFacts = {
    packageHash: view.package?.hash,
    figuresOf: (runId, nodeId) => figures.get(runId ?? '')?.get(nodeId),
    phaseOf: (runId) => shownPhase(runs.get(runId ?? '') ?? view),
    onDetails: (data, id) => showDetails(data, id),
  };
  const showDetails = ({ runId }: FlowNode['data'], id: string): void => {
    if (parentOf(id) === undefined) requestNodeFocus(projectId, id);
    else if (runId !== undefined) onChooseRun(runId);
  };
  /** A node without a visit is not in the timeline. */
  const showStep = ({ id, data }: FlowNode): void => {
    const { node, runId } = data;
    const visit = facts.figuresOf(runId, node.id)?.visits.at(-1);
    if (visit && runId !== undefined) requestStep(projectId, { runId, nodeId: node.id, seq: visit.firstSeq });
    else showDetails(data, id);
  };
  const describe = (node: ProgressNode, runId: string | undefined): string =>
    [
      toShownLine(node.title),
      t(`progress.${node.progress}`),
      ...(node.isRefused ? [t('progress.refused')] : []),
      ...describeFigures(facts.figuresOf(runId, node.id), t),
    ].join(', ');
  return (
    <section ref={root} aria-label={t('progress.graph')} className="stage relative h-full w-full">
      <p className="sr-only">{t('overview.keys')}</p>
      {level && frame ? (
        <StageContext value={facts}>
          <Flow
            key={view.runId}
            {...{ level, frame, describe, showStep }}
            onToggle={toggle}
            onDetails={showDetails}
          />
        </StageContext>
      ) : undefined}
    </section>
  );
}

type Translate = ReturnType<typeof useTranslation>['t'];

function describeFigures(figures: NodeFigures | undefined, t: Translate): readonly string[] {
  if (!figures) return [];
  const { durationMs, tokens, cost, files } = figures;
  return [
    formatDuration(durationMs),
    ...(tokens > 0 ? [t('usage.tokens', { tokens: formatCompact(tokens) })] : []),
    ...(cost === 'none' ? [] : [cost === 'unknown' ? t('usage.priceUnknown') : formatCost(cost)]),
    ...(files.length > 0 ? [t('inspector.files.count', { count: files.length })] : []),
  ];
}

interface FlowProps {
  readonly level: GraphLevel;
  readonly frame: Size;
  readonly describe: (node: ProgressNode, runId: string | undefined) => string;
  readonly showStep: (node: FlowNode) => void;
  readonly onDetails: (data: FlowNode['data'], id: string) => void;
  readonly onToggle: (path: string, isOpen: boolean) => void;
}

function Flow({ level, frame, describe, showStep, onDetails, onToggle }: FlowProps) {
  const { t } = useTranslation();
  const isNarrow = frame.width < NARROW;
  const height = frame.height - (isNarrow ? BELOW.narrow : BELOW.wide);
  const screen = useMemo(() => ({ width: frame.width, height }), [frame.width, height]);
  const layout = useStageLayout(level, screen);
  const positions = useMemo(() => toAbsolute(layout.boxes), [layout]);
  const currentId = focusOf(level);
  const [chosenId, setChosenId] = useState<string>();
  const [toggled, setToggled] = useState<{ readonly path: string; readonly currentId: string | undefined }>();
  // What was opened stays in view until the run goes on.
  const isToggled = toggled?.currentId === currentId && positions.has(toggled?.path ?? '');
  const focusId = isToggled ? toggled?.path : currentId;
  const tabStop = positions.has(chosenId ?? '') ? chosenId : focusId;
  const open = (path: string, isOpen: boolean): void => {
    setToggled({ path, currentId });
    onToggle(path, isOpen);
  };
  const options = {
    boxes: layout.boxes,
    direction: 'down',
    chosenId: undefined,
    describe,
    onToggle: open,
  } as const;
  const nodes = toFlowNodes(level, options).map((node) => ({
    ...node,
    // One stop of the Tab key; arrow keys go on from there.
    domAttributes: { tabIndex: node.id === tabStop ? 0 : -1 },
  }));
  const edges = toFlowEdges(level, layout.routes);
  const press = (event: KeyboardEvent): void => {
    const id = focusedNode(event);
    const node = nodes.find((one) => one.id === id);
    if (!node) return;
    const ways = edges.map(({ source, target, className }) => ({
      ...{ from: source, to: target, isAccepted: className === 'is-taken' },
    }));
    const next = followEdge(ways, node.id, event.key);
    if (next !== undefined) {
      setChosenId(next);
      event.currentTarget.querySelector<HTMLElement>(`[data-id="${CSS.escape(next)}"]`)?.focus();
    } else if (event.key === 'Enter') showStep(node);
    else if (event.key === ' ') onDetails(node.data, node.id);
    else return;
    event.preventDefault();
  };
  const isWhole =
    layout.width * READABLE_ZOOM <= screen.width && layout.height * READABLE_ZOOM <= screen.height;
  return (
    <ReactFlow
      {...FLOW_OPTIONS}
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      panOnScroll
      zoomOnDoubleClick={false}
      onNodeClick={(_, node) => showStep(node)}
      onKeyDown={press}
      onMoveEnd={(_, viewport) => useLastView.setState({ last: { layout: layout.width, focusId, viewport } })}
      ariaLabelConfig={{
        'node.a11yDescription.default': t('overview.keys'),
        'controls.zoomIn.ariaLabel': t('progress.zoomIn'),
        'controls.zoomOut.ariaLabel': t('progress.zoomOut'),
        'controls.fitView.ariaLabel': t('progress.fit'),
        'minimap.ariaLabel': t('overview.map'),
      }}
    >
      <InView {...{ layout, focusId, screen }} focus={positions.get(focusId ?? '')} />
      <Background gap={20} size={1} />
      <Controls showInteractive={false} orientation="horizontal" />
      {isWhole || isNarrow ? undefined : (
        <MiniMap
          pannable
          zoomable
          nodeClassName={(node) => minimapClass(node as FlowNode)}
          nodeStrokeWidth={0}
          nodeBorderRadius={16}
          style={MAP_SIZE}
        />
      )}
    </ReactFlow>
  );
}

const NODE_TYPES = { step: StageCard };

/** The layout depends on the graph and the height of the screen, not on what happens in the run. */
function useStageLayout(level: GraphLevel, { width, height }: Size): LevelLayout {
  const shape = shapeOf(level);
  const isNarrow = width < NARROW;
  const most = highestColumn({ width, height });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape is what counts
  return useMemo(
    () =>
      layOutLevel(level, {
        size: isNarrow ? NARROW_CARD : CARD,
        layOut: (graph, sizeOf) => layOutColumns(graph, sizeOf, most),
      }),
    [shape, most, isNarrow],
  );
}

/** Room below the cards for the buttons and the map, which cover nothing then. */
const BELOW = { wide: 84, narrow: 52 } as const;
const MAP_SIZE = { width: 190, height: 62 };

/** Where the person left the stage, until the run goes on to another node. */
const useLastView = create<{
  readonly last:
    | { readonly layout: number; readonly focusId: string | undefined; readonly viewport: Viewport }
    | undefined;
}>(() => ({ last: undefined }));

interface InViewProps {
  readonly layout: LevelLayout;
  readonly focusId: string | undefined;
  readonly focus: (Point & Size) | undefined;
  readonly screen: Size;
}

/** Shows the current node first, and again when the run has moved. */
function InView({ layout, focusId, focus, screen }: InViewProps) {
  const { setViewport } = useReactFlow();
  const shown = useRef<string>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the position of the node changes with the layout only
  useEffect(() => {
    const { last } = useLastView.getState();
    const isFirst = shown.current === undefined;
    shown.current = focusId ?? '';
    const isCalm = isFirst || matchMedia('(prefers-reduced-motion: reduce)').matches;
    const known = isFirst && last?.focusId === focusId && last?.layout === layout.width ? last : undefined;
    void setViewport(known?.viewport ?? chooseStageView(layout, focus, screen), {
      duration: isCalm ? 0 : MOVE_MS,
    });
  }, [setViewport, layout, focusId, screen]);
  return undefined;
}

const MOVE_MS = 200;

/** By run. */
function useFigures({
  view,
  runs,
}: ProgressPanelProps): ReadonlyMap<string, ReadonlyMap<string, NodeFigures>> {
  return useMemo(() => {
    const all = new Map([...runs, [view.runId, view] as const]);
    return new Map([...all].map(([runId, run]) => [runId, toNodeFigures(run, all)]));
  }, [view, runs]);
}

function minimapClass({ data: { node, isOpen } }: FlowNode): string {
  return isOpen ? 'is-around' : `is-${node.progress}`;
}
