/** The tab Context of the inspector; loaded when it is opened. */
import { lazy, Suspense } from 'react';
import type { PanelProps } from '../../../state/subject.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';

export function ContextPanel({ subject, view }: PanelProps) {
  return (
    <Suspense fallback={<Skeleton className="m-3 h-40" />}>
      <ContextView subject={subject} view={view} />
    </Suspense>
  );
}

const ContextView = lazy(() => import('./context-view.tsx'));
