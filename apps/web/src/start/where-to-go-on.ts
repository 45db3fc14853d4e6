/** Where one goes on from the start: the work something happened in last, of those in a folder that is there. Pure. */
import type { ShownProject } from '@crewagent/protocol/api/projects';
import type { WorkList } from '@crewagent/protocol/api/work-messages';
import type { Route } from '../navigation/router.ts';
import { toWorks, type Work } from '../works/list/to-works.ts';

interface WayOn {
  readonly project: ShownProject;
  readonly route: Route;
}

export function whereToGoOn(list: WorkList, projects: readonly ShownProject[]): WayOn | undefined {
  const [latest] = projects
    .filter(({ exists }) => exists)
    .flatMap((project) =>
      toWorks(list, project.projectId, ({ title }) => title).map((work) => ({ project, work })),
    )
    .filter(({ work }) => !work.isArchived)
    .toSorted((one, other) => other.work.updatedAt.localeCompare(one.work.updatedAt));
  return latest && { project: latest.project, route: toRoute(latest.project, latest.work) };
}

function toRoute({ projectId }: ShownProject, { kind, id }: Work): Route {
  return kind === 'run'
    ? { name: 'run', projectId, runId: id }
    : { name: 'conversation', projectId, conversationId: id };
}
