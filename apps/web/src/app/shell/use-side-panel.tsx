/** Which side panel is shown, and what showing another one does: on narrow screens a sheet, else a stored part of the layout. */

import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import { useFileCommands } from '../../files/use-file-commands.tsx';
import { type ProjectRoute, wantPanel } from '../../navigation/last-route.ts';
import { navigate } from '../../navigation/router.ts';
import { changeLayout, lastProjectId, SIDE_PANELS, type SidePanel, useLayout } from '../../state/layout.ts';
import { useWantedFolder } from '../../state/wanted-folder.ts';
import { ErrorBoundary } from '../../ui/errors/error-boundary.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useIsNarrow } from '../../ui/use-media.ts';
import { WorksPanel } from '../../works/list/works-panel.tsx';

export interface Sheets {
  readonly side: SidePanel | undefined;
  readonly setSide: (panel: SidePanel | undefined) => void;
  readonly hasInspector: boolean;
  readonly setInspector: (isOpen: boolean) => void;
}

interface SidePanelOptions {
  /** Empty outside of a project. */
  readonly projectId: string;
  readonly projectRoute: ProjectRoute | undefined;
  /** Panels with content. */
  readonly offered: Readonly<Partial<Record<SidePanel, unknown>>> | undefined;
  readonly sheets: Sheets;
}

export function useSidePanel({ projectId, projectRoute, offered, sheets }: SidePanelOptions) {
  const isNarrow = useIsNarrow();
  const layout = useLayout(projectId);
  const leadsBack = projectId === '' && projectRoute !== undefined;
  // Without a project the panels lead to the start screen, which asks for a folder.
  const panels = SIDE_PANELS.filter((panel) => projectId === '' || offered?.[panel] !== undefined);
  const wanted = isNarrow ? sheets.side : layout.sidePanel;
  const sidePanel = projectId === '' ? undefined : panels.find((panel) => panel === wanted);
  const goTo = (route: ProjectRoute, panel: SidePanel): void => {
    if (isNarrow) wantPanel(panel);
    else changeLayout(route.projectId, { sidePanel: panel });
    navigate(route);
  };
  const showPanel = (panel: SidePanel): void => {
    if (leadsBack) goTo(projectRoute, panel);
    else if (isNarrow) sheets.setSide(panel);
    else changeLayout(projectId, { sidePanel: panel });
  };
  const goToProject = (panel: SidePanel): void => {
    const last = lastProjectId();
    if (last === undefined) {
      useWantedFolder.setState({ isWanted: true });
      navigate({ name: 'start' });
    } else goTo({ name: 'project', projectId: last }, panel);
  };
  const togglePanel = (panel: SidePanel): void => {
    if (leadsBack) showPanel(panel);
    else if (projectId === '') goToProject(panel);
    else if (isNarrow) sheets.setSide(sheets.side === panel ? undefined : panel);
    else changeLayout(projectId, { sidePanel: layout.sidePanel === panel ? undefined : panel });
  };
  return { panels, sidePanel, showPanel, togglePanel };
}

/** Side panels of a project, and its file commands. `openId`: the visible conversation or run. */
export function useSidePanels(
  projectId: string,
  openId: string | undefined,
): Readonly<Record<SidePanel, ReactNode>> {
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
