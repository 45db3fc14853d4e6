/** Center of a project's window: the screen's own tab, which stays, and the open files. */
import { Workflow as WorkflowIcon } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { closeTab, useFileAsk } from '../../files/dialogs/file-asks.ts';
import { FileIcon } from '../../files/file-icon.tsx';
import { nameOf } from '../../files/paths.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { useLayout } from '../../state/layout.ts';
import { GRAPH_TAB, showFile, useIsUnsaved } from '../../state/open-files.ts';
import { ErrorBoundary } from '../../ui/errors/error-boundary.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { WorkspaceTabs } from './workspace-tabs.tsx';

interface WorkspaceProps {
  readonly projectId: string;
  readonly title: string;
  readonly icon: ReactNode;
  readonly children: ReactNode;
  readonly aside?: ReactNode;
  /** The first tab waits for the user. */
  readonly isWaiting?: boolean;
  /** The run's graph; undefined: no graph tab. */
  readonly graph?: ReactNode;
}

const FIRST_TAB = 'first';

export function Workspace(props: WorkspaceProps) {
  const { projectId, title, icon, children, aside, graph, isWaiting = false } = props;
  const { t } = useTranslation();
  const { openFiles: opened, activeFile } = useLayout(projectId);
  const openFiles = opened.filter((path) => path !== GRAPH_TAB || graph !== undefined);
  const isUnsaved = useIsUnsaved();
  const { ask } = useFileAsk();
  return (
    <>
      <WorkspaceTabs
        active={activeFile === undefined || !openFiles.includes(activeFile) ? FIRST_TAB : activeFile}
        onChange={(id) => showFile(projectId, id === FIRST_TAB ? undefined : id)}
        onClose={(path) => closeTab(projectId, path)}
        tabs={[
          {
            id: FIRST_TAB,
            title,
            icon,
            isWaiting,
            canClose: false,
            content: (
              <ErrorBoundary resetKey={projectId} isScreen>
                {children}
              </ErrorBoundary>
            ),
          },
          ...openFiles.map((path) => ({
            id: path,
            title: path === GRAPH_TAB ? t('progress.graph') : nameOf(path),
            icon: path === GRAPH_TAB ? <WorkflowIcon aria-hidden="true" /> : <FileIcon name={path} />,
            isDirty: isUnsaved(projectId, path),
            canClose: true,
            content: (
              <ErrorBoundary resetKey={projectId}>
                <Suspense fallback={<Skeleton className="m-4 h-40" />}>
                  {path === GRAPH_TAB ? graph : <FileTab projectId={projectId} path={path} />}
                </Suspense>
              </ErrorBoundary>
            ),
          })),
        ]}
        aside={aside}
      />
      {ask?.projectId === projectId ? (
        <Suspense>
          <FileDialogs ask={ask} />
        </Suspense>
      ) : undefined}
    </>
  );
}

const FileTab = lazy(() => import('../../files/tab/file-tab.tsx'));

const FileDialogs = lazy(() => import('../../files/dialogs/file-dialogs.tsx'));
