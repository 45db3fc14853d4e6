/** A project without a conversation in sight: its works, and beginning another. */
import { useTranslation } from 'react-i18next';
import { useProjects } from '../api/queries.ts';
import { NewConversation } from '../works/new-conversation.tsx';
import { WorksPanel } from '../works/works-panel.tsx';
import type { Route } from './router.ts';
import { Shell } from './shell.tsx';

interface ProjectScreenProps {
  readonly route: Extract<Route, { name: 'project' }>;
}

export function ProjectScreen({ route }: ProjectScreenProps) {
  const { t } = useTranslation();
  const { projectId } = route;
  const { data: projects } = useProjects();
  const project = projects?.find((known) => known.projectId === projectId);
  return (
    <Shell
      route={route}
      title={t('new.title')}
      sidePanels={{ works: <WorksPanel projectId={projectId} openId={undefined} /> }}
      main={<NewConversation key={projectId} projectId={projectId} projectName={project?.name} />}
    />
  );
}
