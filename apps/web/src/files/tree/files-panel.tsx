/** The file tree; loaded when it is shown. */
import { lazy, Suspense } from 'react';
import { Skeleton } from '../../ui/skeleton.tsx';

interface FilesPanelProps {
  readonly projectId: string;
}

export function FilesPanel({ projectId }: FilesPanelProps) {
  return (
    <Suspense fallback={<Skeleton className="m-3 h-24" />}>
      <FileTreePanel key={projectId} projectId={projectId} />
    </Suspense>
  );
}

const FileTreePanel = lazy(() => import('./file-tree-panel.tsx'));
