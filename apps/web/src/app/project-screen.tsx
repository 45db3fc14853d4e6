/** A project without an open Work: its Works, and starting another. */
import { Plus } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useProjects } from '../api/queries.ts';
import { ViewOnlyNote } from '../conversation/view-only-note.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import type { Route } from '../navigation/router.ts';
import { useMay } from '../state/team-server.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { ProjectConflicts, ProjectSource } from './project-conflicts.tsx';
import { Shell } from './shell/shell.tsx';
import { useSidePanels } from './shell/use-side-panel.tsx';
import { Workspace } from './shell/workspace.tsx';

interface ProjectScreenProps {
  readonly route: Extract<Route, { name: 'project' }>;
}

export function ProjectScreen({ route }: ProjectScreenProps) {
  const { t } = useTranslation();
  const { projectId, packageHash } = route;
  const { data: projects } = useProjects();
  const mayRun = useMay(projectId, 'run');
  const sidePanels = useSidePanels(projectId, undefined);
  const project = projects?.find((known) => known.projectId === projectId);
  return (
    <Shell
      route={route}
      title={t('new.title')}
      sidePanels={sidePanels}
      main={
        <Workspace projectId={projectId} title={t('new.title')} icon={<Plus />}>
          <ProjectConflicts projectId={projectId} />
          <ProjectSource projectId={projectId} />
          {mayRun ? undefined : (
            <div className="mx-auto w-full max-w-3xl px-4 py-10 sm:px-6">
              <ViewOnlyNote />
            </div>
          )}
          <Suspense fallback={<Skeleton className="m-10 h-40" />}>
            {mayRun ? (
              <NewConversation
                key={[projectId, packageHash].join()}
                projectId={projectId}
                project={project}
                packageHash={packageHash}
              />
            ) : undefined}
          </Suspense>
        </Workspace>
      }
    />
  );
}

const NewConversation = lazy(() => import('../works/new-conversation/new-conversation.tsx'));
