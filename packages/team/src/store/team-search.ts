/**
 * Search over the messages of the team's Works. Each server has an index of its own, brought up to date by one query. Files are not
 * searched: a server has no copies of them.
 */
import { CrewError, createWorkSearch } from '@crewagent/core';
import type { Store } from '@crewagent/core/store';
import type { Queries } from '../database/database.ts';

export function createTeamSearch(database: Queries, store: Store): ReturnType<typeof createWorkSearch> {
  /** As of the last list. */
  let marks = new Map<string, { readonly mark: string; readonly projectId: string }>();
  const find = createWorkSearch({
    ...store,
    works: {
      ...store.works,
      async addresses() {
        const rows = await database.read<{
          work_id: string;
          project_id: string;
          is_run: boolean;
          mark: string;
        }>(
          `select work_id, project_id, is_run, last_seq::text as mark
           from works join work_heads using (work_id) order by work_id desc`,
        );
        marks = new Map(
          rows.map(({ work_id: workId, project_id: projectId, mark }) => [workId, { mark, projectId }]),
        );
        return rows.map((row) => ({ workId: row.work_id, projectId: row.project_id, isRun: row.is_run }));
      },
      logMark: async ({ workId }) => marks.get(workId)?.mark,
    },
    projects: {
      ...store.projects,
      read: (projectId) =>
        Promise.reject(new CrewError('PROJECT_NOT_FOUND', `The files of ${projectId} are not searched.`)),
    },
  });
  return async (query) => {
    const found = await find(query);
    const { projects } = query;
    if (!projects) return found;
    // How many Works others have is not said.
    const total = [...marks.values()].filter(({ projectId }) => projects.has(projectId)).length;
    return { ...found, total, indexed: found.indexed < found.total ? Math.min(found.indexed, total) : total };
  };
}
