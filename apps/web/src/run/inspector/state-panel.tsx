/** The tab State of the inspector; loaded when it is opened. */
import { lazy, Suspense } from 'react';
import { Skeleton } from '../../ui/skeleton.tsx';
import type { PanelProps } from './subject.ts';

export function StatePanel({ projectId, subject, view }: PanelProps) {
  if (subject.kind !== 'run') return undefined;
  return (
    <Suspense fallback={<Skeleton className="m-3 h-40" />}>
      <StateView projectId={projectId} runId={subject.runId} view={view} />
    </Suspense>
  );
}

const StateView = lazy(() => import('./state-view.tsx'));
