/** A project without an open Work: its Works, and starting another. */
import { Plus } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useProjects } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import type { Route } from '../navigation/router.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { ProjectConflicts } from './project-conflicts.tsx';
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
          <Suspense fallback={<Skeleton className="m-10 h-40" />}>
            <NewConversation
              key={[projectId, packageHash].join()}
              projectId={projectId}
              project={project}
              packageHash={packageHash}
            />
          </Suspense>
        </Workspace>
      }
    />
  );
}

const NewConversation = lazy(() => import('../works/new-conversation/new-conversation.tsx'));
