/** Side panels of a project, and its file commands. */
import { useMemo } from 'react';
import { FilesPanel } from '../../files/tree/files-panel.tsx';
import { useFileCommands } from '../../files/use-file-commands.tsx';
import { ErrorBoundary } from '../../ui/errors/error-boundary.tsx';
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
          <FilesPanel projectId={projectId} />
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
