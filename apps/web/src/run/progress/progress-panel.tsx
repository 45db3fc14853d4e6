/**
 * Progress tab of the inspector: a summary line, the graph and the list. A node opens to its details; closing them restores the
 * focus.
 */
import type { Story } from '@crewagent/protocol/story/story';
import { Maximize2, Workflow } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useGraph } from '../../api/queries.ts';
import { formatCompact, formatCost } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { useLayout } from '../../state/layout.ts';
import { consumeNodeFocus, useNodeFocus } from '../../state/node-focus.ts';
import { OVERVIEW_TAB, showFile } from '../../state/open-files.ts';
import { IconButton } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { CallTrail, type TrailStep } from '../call-trail.tsx';
import { UpgradeLine } from '../upgrade/upgrade-line.tsx';
import { NodeDetails } from './node/node-details.tsx';
import { NodeMark, NodeWho } from './node/node-mark.tsx';
import {
  isPlainSequence,
  type Progress,
  type ProgressNode,
  type Runs,
  type ShownGraph,
  shareOf,
  toProgress,
} from './to-progress.ts';
import { useGraphLevel } from './use-graph-level.ts';

const ForkLine = lazy(() => import('../fork/fork-line.tsx'));

export interface ProgressPanelProps {
  readonly projectId: string;
  readonly view: Readonly<Story>;
  /** Without it only the list is shown. */
  readonly graph: ShownGraph | undefined;
  /** Includes called runs, which are listed below the steps that called them. */
  readonly runs: Runs;
  readonly onChooseRun: (runId: string) => void;
}

export function ProgressPanel({ projectId, view, graph, runs, onChooseRun }: ProgressPanelProps) {
  const { t } = useTranslation();
  const [hasGraph, setGraph] = useState(true);
  const { openId, open, close, root } = useOpenNode();
  const { level, toggle } = useGraphLevel(view, graph, runs);
  const { isLoading, failureCount } = useGraph(view.package?.hash, view.workflow?.ref);
  // The list would move when the graph arrives above it.
  const isEarly = graph === undefined && isLoading && failureCount === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a view changes with each event, its progress only with these
  const progress = useMemo(
    () => level?.progress ?? toProgress(view, graph),
    [view.timeline.length, view.state, view.phase, view.nodes, graph, level],
  );
  const openNode = progress.nodes.find(({ id }) => id === openId);
  const { done, notNeeded } = progress;
  // The overview shows the graph already.
  const isInFront = useLayout(projectId).activeFile === OVERVIEW_TAB;
  const isDrawn = !isInFront && level !== undefined && (!isPlainSequence(progress) || level.callers.size > 0);
  return (
    <div ref={root} className="flex h-full min-h-0 flex-col">
      {view.caller ? (
        <div className="shrink-0 px-3 pt-2">
          <CallTrail steps={toTrail(view, runs)} onChoose={onChooseRun} />
        </div>
      ) : undefined}
      <div className="flex shrink-0 items-center gap-3 px-3 py-2">
        <div className="min-w-0 grow">
          {/* Two lines from the beginning: the second one fills up while the run goes on. */}
          <p className="mb-1.5 flex min-h-[2.6rem] flex-col text-sm whitespace-nowrap text-ink-soft tabular-nums">
            <span>
              {t('progress.count', { done, total: progress.nodes.length - notNeeded })}
              {notNeeded > 0 ? ` · ${t('progress.countNotNeeded', { count: notNeeded })}` : ''}
            </span>
            <ProgressTotals view={view} />
          </p>
          <ProgressBar label={t('progress.label')} value={shareOf(progress)} />
        </div>
        {isDrawn ? (
          <>
            <IconButton label={t('progress.openLarge')} onClick={() => showFile(projectId, OVERVIEW_TAB)}>
              <Maximize2 />
            </IconButton>
            <IconButton
              label={t('progress.toggleGraph')}
              isPressed={hasGraph}
              onClick={() => setGraph(!hasGraph)}
            >
              <Workflow />
            </IconButton>
          </>
        ) : undefined}
      </div>
      {isDrawn && hasGraph ? (
        <div className="h-72 shrink-0 border-y bg-surface">
          <Suspense fallback={<Skeleton className="m-4 h-40" />}>
            <ProgressGraph
              progress={progress}
              level={level}
              direction="down"
              chosenId={openId}
              onOpenNode={(id) => open(id, 'graph')}
              onToggle={toggle}
              onChooseRun={onChooseRun}
            />
          </Suspense>
        </div>
      ) : undefined}
      {isEarly ? <Skeleton className="m-4 h-72" /> : undefined}
      <div hidden={isEarly} className="min-h-0 grow overflow-auto">
        {openNode ? (
          <NodeDetails
            key={openNode.id}
            projectId={projectId}
            view={view}
            node={openNode}
            onOpenNode={(id) => open(id, 'list')}
            onClose={close}
          />
        ) : (
          <ProgressList {...{ view, progress, runs, onChooseRun }} onOpenNode={(id) => open(id, 'list')} />
        )}
      </div>
      {/* Below: it arrives later, and nothing moves. */}
      <div className="max-h-1/2 shrink-0 overflow-y-auto border-t bg-surface p-1.5 empty:hidden">
        <Suspense fallback={undefined}>
          <StaleLine
            workId={view.runId}
            mark={staleMarkOf(view)}
            titleOf={(nodeId) => view.nodes.find(({ id }) => id === nodeId)?.title || nodeId}
          />
        </Suspense>
      </div>
      <UpgradeLine view={view} />
      <Suspense>
        <ForkLine key={view.runId} view={view} />
      </Suspense>
    </div>
  );
}

/** From the root run to this one. */
function toTrail(view: Readonly<Story>, runs: Runs): TrailStep[] {
  const step = { id: view.runId, title: view.workflow?.title || view.workflow?.ref || view.runId };
  const caller = view.caller && runs.get(view.caller.parentId);
  return caller ? [...toTrail(caller, runs), step] : [step];
}

const StaleLine = lazy(() => import('../file-use/stale-line.tsx'));
const StaleBadge = lazy(() => import('../file-use/stale-badge.tsx'));

/** Asked again when a step was left, or the run stopped. */
function staleMarkOf({ visits, phase }: Readonly<Story>): string {
  return `${visits.length} ${phase}`;
}

const ProgressGraph = lazy(() => import('./graph/progress-graph.tsx'));

/** The open node, and where it was opened: the focus returns there when it closes. */
function useOpenNode() {
  const root = useRef<HTMLDivElement>(null);
  const [openId, setOpenId] = useState<string>();
  const [left, setLeft] = useState<{ readonly id: string; readonly origin: 'list' | 'graph' }>();
  const opened = useRef<'list' | 'graph'>('list');
  const wanted = useNodeFocus(({ nodeId }) => nodeId);
  useEffect(() => {
    if (wanted === undefined) return;
    opened.current = 'list';
    setOpenId(wanted);
    consumeNodeFocus();
  }, [wanted]);
  useEffect(() => {
    if (!left) return;
    const where = left.origin === 'graph' ? '.react-flow__node' : 'button';
    root.current?.querySelector<HTMLElement>(`${where}[data-id="${CSS.escape(left.id)}"]`)?.focus();
  }, [left]);
  return {
    root,
    openId,
    open: (id: string, origin: 'list' | 'graph'): void => {
      opened.current = origin;
      setOpenId(id);
    },
    close: (): void => {
      if (openId !== undefined) setLeft({ id: openId, origin: opened.current });
      setOpenId(undefined);
    },
  };
}

interface ProgressListProps extends Pick<ProgressPanelProps, 'view' | 'runs' | 'onChooseRun'> {
  readonly progress: Progress;
  readonly onOpenNode: (nodeId: string) => void;
}

/** Progress of a run as a list: for keyboards, screen readers and small screens. */
function ProgressList({ view, progress, runs, onOpenNode, onChooseRun }: ProgressListProps) {
  const { t } = useTranslation();
  const list = useRef<HTMLOListElement>(null);
  const currentId = progress.nodes.find((node) => node.progress === 'current')?.id;
  // The current step and the next one stay in sight.
  useEffect(() => {
    if (currentId === undefined) return;
    const current = list.current?.querySelector('[aria-current="step"]');
    current?.nextElementSibling?.scrollIntoView({ block: 'nearest' });
    current?.scrollIntoView({ block: 'nearest' });
  }, [currentId]);
  return (
    <ol ref={list} aria-label={t('progress.list')} className="flex flex-col p-2">
      {progress.nodes.map((node, index) => (
        <li
          key={node.id}
          aria-current={node.progress === 'current' ? 'step' : undefined}
          className="relative"
        >
          <button
            type="button"
            data-id={node.id}
            onClick={() => onOpenNode(node.id)}
            className={classNames(
              'relative flex w-full items-start gap-2.5 rounded-md px-2 py-1.5 text-start hover:bg-hover',
              node.progress === 'current' && 'bg-accent-soft',
            )}
          >
            <span className="mt-0.5 rounded-full bg-surface">
              <NodeMark node={node} />
            </span>
            <span className="min-w-0 grow">
              <span
                className={classNames(
                  'block truncate',
                  node.progress === 'current' && 'font-semibold',
                  node.progress === 'ahead' && 'text-ink-soft',
                  node.progress === 'notNeeded' && 'text-ink-faint',
                )}
              >
                {toShownLine(node.title)}
              </span>
              <Below node={node} packageHash={view.package?.hash} />
            </span>
            <Suspense fallback={undefined}>
              <StaleBadge workId={view.runId} mark={staleMarkOf(view)} of={{ nodeId: node.id }} />
            </Suspense>
          </button>
          <CalledSteps {...{ view, runs, onChooseRun }} nodeId={node.id} />
          {index < progress.nodes.length - 1 ? (
            // From mark to mark, also past the steps of a called workflow; above the background of the current step.
            <span
              aria-hidden="true"
              className="pointer-events-none absolute top-6 -bottom-2 left-[15px] z-1 w-px bg-line-strong"
            />
          ) : undefined}
        </li>
      ))}
    </ol>
  );
}

interface CalledStepsProps extends Pick<ProgressPanelProps, 'view' | 'runs' | 'onChooseRun'> {
  readonly nodeId: string;
}

/** Steps of the workflow that a node called last, indented; a click inspects its run. */
function CalledSteps({ view, runs, onChooseRun, nodeId }: CalledStepsProps) {
  const { t } = useTranslation();
  const call = view.calls.findLast((one) => one.nodeId === nodeId && runs.has(one.childId));
  const run = call && runs.get(call.childId);
  if (!run) return undefined;
  const title = toShownLine(call.title);
  return (
    <ol aria-label={title} className="ms-6 flex flex-col border-s ps-2">
      {toProgress(run, undefined).nodes.map((node) => (
        <li key={node.id} aria-current={node.progress === 'current' ? 'step' : undefined}>
          <button
            type="button"
            title={t('call.open', { title })}
            onClick={() => onChooseRun(run.runId)}
            className="flex w-full items-center gap-2 rounded-md px-2 py-1 text-start text-sm hover:bg-hover"
          >
            <NodeMark node={node} />
            <span className={classNames('truncate', node.progress === 'current' && 'font-semibold')}>
              {toShownLine(node.title)}
            </span>
          </button>
          <CalledSteps {...{ view: run, runs, onChooseRun }} nodeId={node.id} />
        </li>
      ))}
    </ol>
  );
}

interface BelowProps {
  readonly node: ProgressNode;
  readonly packageHash: string | undefined;
}

function Below({ node, packageHash }: BelowProps) {
  const { t } = useTranslation();
  const { isRefused, progress } = node;
  const extra = [
    ...(progress === 'current' || progress === 'notNeeded' ? [t(`progress.${progress}`)] : []),
    ...(isRefused ? [t('progress.refused')] : []),
  ];
  // The type "step" is the default and not shown.
  if (node.type === 'step' && !node.agentId && extra.length === 0) return undefined;
  return (
    <span className="block truncate text-xs text-ink-faint">
      <NodeWho node={node} packageHash={packageHash} extra={extra} />
    </span>
  );
}

/** Usage of a run so far, in few numbers. */
export function ProgressTotals({ view: { turns, usage } }: { readonly view: Readonly<Story> }) {
  const { t } = useTranslation();
  if (turns === 0) return undefined;
  const tokens = usage.promptTokens + usage.completionTokens;
  return (
    <span className="flex gap-2.5 text-xs text-ink-faint">
      <span>{t('inspector.node.turnCount', { count: turns })}</span>
      {tokens > 0 ? <span>{t('usage.tokens', { tokens: formatCompact(tokens) })}</span> : undefined}
      {usage.costUsd ? <span>{formatCost(usage.costUsd)}</span> : undefined}
    </span>
  );
}
