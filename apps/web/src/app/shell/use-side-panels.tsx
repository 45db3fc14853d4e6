/** Side panels of a project, and its file commands. */
import { lazy, Suspense, useMemo } from 'react';
import { useFileCommands } from '../../files/use-file-commands.tsx';
import { ErrorBoundary } from '../../ui/errors/error-boundary.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { WorksPanel } from '../../works/list/works-panel.tsx';
import type { ShellProps } from './shell.tsx';

/** `openId`: the visible conversation or run. */
export function useSidePanels(
  projectId: string,
  openId: string | undefined,
): NonNullable<ShellProps['sidePanels']> {
  useFileCommands(projectId);
  return useMemo(
    () => ({
      files: (
        <ErrorBoundary key="files" resetKey={projectId}>
          <Suspense fallback={<Skeleton className="m-3 h-24" />}>
            <FileTreePanel key={projectId} projectId={projectId} />
          </Suspense>
        </ErrorBoundary>
      ),
      works: (
        <ErrorBoundary key="works" resetKey={projectId}>
          <WorksPanel projectId={projectId} openId={openId} />
        </ErrorBoundary>
      ),
    }),
    [projectId, openId],
  );
}

// Loaded when it is shown.
const FileTreePanel = lazy(() => import('../../files/tree/file-tree-panel.tsx'));
