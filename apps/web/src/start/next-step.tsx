/** The next step for a user with a project: continue the last Work, or start a new one. Waiting Works come first. */
import type { ShownProject } from '@crewagent/protocol/api/projects';
import { ArrowRight, Plus } from 'lucide-react';
import { useProjects } from '../api/queries.ts';
import { useWork } from '../api/work-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { openInFront } from '../navigation/open-in-front.ts';
import { useMay } from '../state/team-server.ts';
import { type KnownWorks, rootsOf } from '../state/work-list.ts';
import { Button } from '../ui/button.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { waitingCount } from './waiting-work.ts';

export function NextStep() {
  const { t } = useTranslation();
  const { list } = useWork();
  const { data: projects = [] } = useProjects();
  const latest = list && nextStepFor(list, projects);
  const project = latest?.project ?? projects.find(({ exists }) => exists);
  const mayRun = useMay(project?.projectId ?? '', 'run');
  if (!list || !project || (!mayRun && !latest)) return undefined;
  const isFirstVisit = list.works.length === 0;
  const kind = isFirstVisit || waitingCount(list) > 0 ? 'plain' : 'primary';
  return (
    <div className="flex flex-wrap gap-2">
      {mayRun ? (
        <Button
          kind={latest ? 'plain' : kind}
          icon={<Plus className="size-4" />}
          onClick={() => openInFront({ name: 'project', projectId: project.projectId })}
        >
          {t('new.title')}
        </Button>
      ) : undefined}
      {latest ? (
        <Button
          kind={kind}
          icon={<ArrowRight className="size-4" />}
          onClick={() => openInFront(latest.route)}
        >
          <bdi className="max-w-60 truncate">
            {t('start.goOn', { name: toShownLine(latest.project.name) })}
          </bdi>
        </Button>
      ) : undefined}
    </div>
  );
}

/** The Work to continue from the start screen: the most recent one in a folder that exists. Pure. */
export function nextStepFor(list: KnownWorks, projects: readonly ShownProject[]) {
  const [latest] = rootsOf(list)
    .flatMap(({ projectId, workId, updatedAt, archivedAt }) => {
      const project = projects.find((known) => known.projectId === projectId && known.exists);
      return project && archivedAt === undefined ? [{ project, workId, updatedAt }] : [];
    })
    .toSorted((one, other) => other.updatedAt.localeCompare(one.updatedAt));
  if (!latest) return undefined;
  const { project, workId } = latest;
  return { project, route: { name: 'work', projectId: project.projectId, workId } as const };
}
