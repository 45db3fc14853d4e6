/** The tab State of the inspector; loaded when it is opened. */
import { lazy, Suspense } from 'react';
import type { PanelProps } from '../../../state/subject.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';

export function StatePanel({ projectId, subject, view }: PanelProps) {
  if (subject.kind !== 'run') return undefined;
  return (
    <Suspense fallback={<Skeleton className="m-3 h-40" />}>
      <StateView projectId={projectId} runId={subject.runId} view={view} />
    </Suspense>
  );
}

const StateView = lazy(() => import('./state-view.tsx'));
