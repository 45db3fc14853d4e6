/**
 * Progress tab of the inspector: a summary line, the graph and the list. A node opens to its details; closing them restores the
 * focus.
 */
import type { RunView } from '@crewagent/protocol/run-view';
import { Maximize2, Workflow } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { consumeNodeFocus, useNodeFocus } from '../../state/node-focus.ts';
import { GRAPH_TAB, openFile } from '../../state/open-files.ts';
import { IconButton } from '../../ui/button.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { CallTrail } from '../call-trail.tsx';
import { type Runs, toCalledRuns, toTrail } from './called-runs.ts';
import { NodeDetails } from './node/node-details.tsx';
import { ProgressList } from './progress-list.tsx';
import { ProgressTotals } from './progress-totals.tsx';
import { isPlainSequence, type ShownGraph, shareOf, toProgress } from './to-progress.ts';
import { useGraphLevel } from './use-graph-level.ts';

interface ProgressPanelProps {
  readonly projectId: string;
  readonly view: Readonly<RunView>;
  /** Without it only the list is shown. */
  readonly graph: ShownGraph | undefined;
  /** Includes called runs, which are listed below the steps that called them. */
  readonly runs?: Runs | undefined;
  readonly onChooseRun?: ((runId: string) => void) | undefined;
}

export function ProgressPanel({ projectId, view, graph, runs = NO_RUNS, onChooseRun }: ProgressPanelProps) {
  const { t } = useTranslation();
  const [hasGraph, setGraph] = useState(true);
  const { openId, open, close, root } = useOpenNode();
  const { level, toggle } = useGraphLevel({ view, graph, runs });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a view changes with each event, its progress only with these
  const progress = useMemo(
    () => level?.progress ?? toProgress(view, graph),
    [view.timeline.length, view.state, view.phase, view.nodes, graph, level],
  );
  const openNode = progress.nodes.find(({ id }) => id === openId);
  const { done, notNeeded } = progress;
  const isDrawn = level !== undefined && (!isPlainSequence(progress) || level.callers.size > 0);
  return (
    <div ref={root} className="flex h-full min-h-0 flex-col">
      {view.caller ? (
        <div className="shrink-0 px-3 pt-2">
          <CallTrail steps={toTrail(view, runs)} onChoose={onChooseRun} />
        </div>
      ) : undefined}
      <div className="flex shrink-0 items-center gap-3 px-3 py-2">
        <div className="min-w-0 grow">
          <p className="mb-1.5 flex flex-wrap gap-x-3 text-sm whitespace-nowrap text-ink-soft tabular-nums">
            <span className="grow">
              {t('progress.count', { done, total: progress.nodes.length - notNeeded })}
              {notNeeded > 0 ? ` · ${t('progress.countNotNeeded', { count: notNeeded })}` : ''}
            </span>
            <ProgressTotals view={view} />
          </p>
          <ProgressBar label={t('progress.label')} value={shareOf(progress)} />
        </div>
        {isDrawn ? (
          <>
            <IconButton
              label={t('progress.openLarge')}
              onClick={() => openFile(projectId, GRAPH_TAB, { takesFocus: false })}
            >
              <Maximize2 aria-hidden="true" />
            </IconButton>
            <IconButton
              label={t('progress.toggleGraph')}
              isPressed={hasGraph}
              onClick={() => setGraph(!hasGraph)}
            >
              <Workflow aria-hidden="true" />
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
      <div className="min-h-0 grow overflow-auto">
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
          <ProgressList
            progress={progress}
            packageHash={view.package?.hash}
            onOpenNode={(id) => open(id, 'list')}
            called={toCalledRuns(view, runs)}
            onChooseRun={onChooseRun}
          />
        )}
      </div>
    </div>
  );
}

const NO_RUNS: Runs = new Map();

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
