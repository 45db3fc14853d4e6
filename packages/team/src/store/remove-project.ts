/** Removes the Works of a project, or the project with all of its files. */
import { CrewError } from '@crewagent/core';
import type { Cleared, WorkStore } from '@crewagent/core/store';
import type { Database } from '../database/database.ts';
import { WORKS_CHANNEL } from '../works/work-rows.ts';
import { projectNotFound } from '../workspaces/project-versions.ts';

export async function clearProject(
  { read }: Pick<Database, 'read'>,
  works: WorkStore,
  projectId: string,
): Promise<Cleared> {
  const roots = await read<{ work_id: string; is_run: boolean; size: number }>(
    `select work_id, is_run,
       (select count(*)::integer from works as part where part.root_id = works.work_id and part.is_run) as size
     from works where project_id = $1 and parent_id is null`,
    [projectId],
  );
  let [conversations, runs, kept] = [0, 0, 0];
  for (const { work_id: workId, is_run: isRun, size } of roots)
    try {
      await works.remove({ projectId, workId, isRun });
      conversations += isRun ? 0 : 1;
      runs += size;
    } catch (error) {
      if (!(error instanceof CrewError)) throw error;
      if (error.code === 'RUN_LOCKED') kept++;
    }
  return { conversations, runs, kept };
}

/** Versions, roles, conflicts and secrets go with the row of the project. */
export async function forgetProject(database: Database, projectId: string): Promise<void> {
  await database.transaction(async ({ write }) => {
    const [project] = await write('select from projects where project_id = $1 for update', [projectId]);
    if (!project) throw projectNotFound(projectId);
    const heads = await write<{ leased: boolean | null }>(
      `select leased_until > now() as leased from work_heads join works using (work_id)
       where project_id = $1 for update of work_heads`,
      [projectId],
    );
    if (heads.some(({ leased }) => leased))
      throw new CrewError(
        'RUN_LOCKED',
        'A run of this project is in progress. Stop it, then remove the project again.',
      );
    await write(
      `with gone as (delete from works where project_id = $1 returning work_id, project_id, is_run)
       insert into removed_works (work_id, project_id, is_run) select work_id, project_id, is_run from gone
       on conflict do nothing`,
      [projectId],
    );
    await write('delete from projects where project_id = $1', [projectId]);
    await write(`select pg_notify('${WORKS_CHANNEL}', '')`);
  });
}
