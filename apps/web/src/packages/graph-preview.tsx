/** The graph of a workflow that has not started. */
import { lazy, Suspense } from 'react';
import { type ShownGraph, toProgress, toUnstarted } from '../run/progress/to-progress.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { useIsNarrow } from '../ui/use-media.ts';

interface GraphPreviewProps {
  /** Undefined while it is loading. */
  readonly graph: ShownGraph | undefined;
  readonly className: string;
  readonly chosenId?: string | undefined;
  readonly onOpenNode?: (nodeId: string) => void;
}

export function GraphPreview({
  graph,
  className,
  chosenId,
  onOpenNode = () => undefined,
}: GraphPreviewProps) {
  // Down where it is narrow: a graph to the right would be cut.
  const direction = useIsNarrow() ? 'down' : 'right';
  const loading = <Skeleton className="m-4 h-40" />;
  return (
    <div className={className}>
      <Suspense fallback={loading}>
        {graph ? (
          <ProgressGraph
            progress={toProgress(toUnstarted(graph), graph)}
            {...{ chosenId, onOpenNode, direction }}
          />
        ) : (
          loading
        )}
      </Suspense>
    </div>
  );
}

const ProgressGraph = lazy(() => import('../run/progress/graph/progress-graph.tsx'));
