/** Progress in the inspector: a line on how far, the graph, and the same as a list. */
import type { RunView } from '@crewagent/protocol/run-view';
import { Workflow } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../../ui/icon-button.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ProgressList } from './progress-list.tsx';
import { type ShownGraph, toProgress } from './to-progress.ts';

interface ProgressPanelProps {
  readonly view: Readonly<RunView>;
  /** Without it there is only the list. */
  readonly graph: ShownGraph | undefined;
  readonly onOpenNode: (nodeId: string) => void;
}

export function ProgressPanel({ view, graph, onOpenNode }: ProgressPanelProps) {
  const { t } = useTranslation();
  const [hasGraph, setGraph] = useState(true);
  const [chosenId, setChosenId] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a view changes with each event, its progress only with these
  const progress = useMemo(
    () => toProgress(view, graph),
    [view.timeline.length, view.state, view.phase, view.nodes, graph],
  );
  const open = (nodeId: string): void => {
    setChosenId(nodeId);
    onOpenNode(nodeId);
  };
  const total = progress.nodes.length;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 items-center gap-3 px-3 py-2">
        <div className="min-w-0 grow">
          <p className="mb-1.5 text-sm text-ink-soft tabular-nums">
            {t('progress.count', { done: progress.done, total })}
          </p>
          <ProgressBar label={t('progress.label')} value={total === 0 ? 0 : progress.done / total} />
        </div>
        {graph ? (
          <IconButton
            label={t('progress.toggleGraph')}
            isPressed={hasGraph}
            onClick={() => setGraph(!hasGraph)}
          >
            <Workflow aria-hidden="true" />
          </IconButton>
        ) : undefined}
      </div>
      {graph && hasGraph ? (
        <div className="h-60 shrink-0 border-y bg-surface">
          <Suspense fallback={<Skeleton className="m-4 h-40" />}>
            <ProgressGraph progress={progress} chosenId={chosenId} onOpenNode={open} />
          </Suspense>
        </div>
      ) : undefined}
      <div className="min-h-0 grow overflow-auto">
        <ProgressList progress={progress} chosenId={chosenId} onOpenNode={open} />
      </div>
    </div>
  );
}

const ProgressGraph = lazy(() => import('./progress-graph.tsx'));
