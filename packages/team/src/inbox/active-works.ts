/** Rows of Works as people see them: title, status, and whose they are. */
import type { ActiveWork } from '@crewagent/protocol/api/team';

export interface ActiveRow {
  readonly work_id: string;
  readonly project_id: string;
  readonly phase: ActiveWork['phase'];
  readonly record: string;
  readonly person_id: string | null;
  readonly name: string | null;
}

/** Somebody has sent something that no worker has answered: it waits for a worker, not for a person. */
export const IS_UNDER_WAY = `exists (
  select from commands where commands.root_id = works.root_id and state in ('queued', 'taken', 'accepted'))`;

/** `people`: whose the Work is. */
export const ACTIVE_COLUMNS = `work_id, project_id,
  case when phase = 'WaitingUser' and ${IS_UNDER_WAY} then 'Running' else phase end as phase,
  record, people.person_id, people.name`;

export function toActiveWork({ record, person_id: personId, name, ...row }: ActiveRow): ActiveWork {
  const { title, workflowTitle, updatedAt } = JSON.parse(record) as {
    readonly title?: string;
    readonly workflowTitle?: string;
    readonly updatedAt: string;
  };
  return {
    ...{ workId: row.work_id, projectId: row.project_id, phase: row.phase, updatedAt },
    title: title || workflowTitle || '',
    ...(personId !== null && name !== null ? { person: { personId, name } } : {}),
  };
}
