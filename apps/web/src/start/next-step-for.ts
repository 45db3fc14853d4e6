/** The Work to continue from the start screen: the most recent one in a folder that exists. Pure. */
import type { ShownProject } from '@crewagent/protocol/api/projects';
import type { WorkList } from '@crewagent/protocol/api/work-messages';
import type { ProjectRoute } from '../navigation/last-route.ts';
import { toWorks } from '../works/list/to-works.ts';

interface NextStep {
  readonly project: ShownProject;
  readonly route: ProjectRoute;
}

export function nextStepFor(list: WorkList, projects: readonly ShownProject[]): NextStep | undefined {
  const [latest] = projects
    .filter(({ exists }) => exists)
    .flatMap((project) =>
      toWorks(list, project.projectId, ({ title }) => title).map((listed) => ({ project, listed })),
    )
    .filter(({ listed }) => !listed.isArchived)
    .toSorted((one, other) => other.listed.work.updatedAt.localeCompare(one.listed.work.updatedAt));
  if (!latest) return undefined;
  const { project, listed } = latest;
  const { projectId, workId } = listed.work;
  return { project, route: { name: 'work', projectId, workId } };
}
