/** Roles of people in projects, and what a project demands of approvals. */
import { CrewError } from '@crewagent/core';
import type { Member, ProjectPolicy } from '@crewagent/protocol/api/accounts';
import type { Role } from '@crewagent/protocol/roles';
import type { Database, Queries } from '../database/database.ts';
import { announceAccess } from './access-changes.ts';
import { personNotFound } from './people.ts';

export function createRoles(database: Database) {
  return {
    /** Ids of all projects. */
    async projects(): Promise<string[]> {
      const rows = await database.read<{ project_id: string }>('select project_id from projects');
      return rows.map(({ project_id }) => project_id);
    },
    async members(projectId: string): Promise<Member[]> {
      const rows = await database.read<{ person_id: string; name: string; email: string; role: Role }>(
        `select person_id, name, email, role from project_roles join people using (person_id)
         where project_id = $1 and disabled_at is null order by lower(name), person_id`,
        [projectId],
      );
      return rows.map(({ person_id: personId, ...member }) => ({ personId, ...member }));
    },
    async set(projectId: string, personId: string, role: Role): Promise<void> {
      await setRole(database, { projectId, personId, role });
    },
    async remove(projectId: string, personId: string): Promise<void> {
      await database.read('delete from project_roles where project_id = $1 and person_id = $2', [
        projectId,
        personId,
      ]);
      await announceAccess(database, personId);
    },
    async policy(projectId: string): Promise<ProjectPolicy> {
      const [row] = await database.read<{ needs: boolean; labels: string[] }>(
        'select needs_second_person as needs, labels from project_policies where project_id = $1',
        [projectId],
      );
      return { needsSecondPerson: row?.needs ?? false, labels: row?.labels ?? [] };
    },
    /** Leaves what is not given as it is. */
    async setPolicy(projectId: string, policy: Partial<ProjectPolicy>): Promise<void> {
      await database.read(
        `insert into project_policies as old (project_id, needs_second_person, labels)
         values ($1, coalesce($2, false), coalesce($3, '{}'::text[]))
         on conflict (project_id) do update
         set needs_second_person = coalesce($2, old.needs_second_person), labels = coalesce($3, old.labels)`,
        [projectId, policy.needsSecondPerson ?? null, policy.labels ?? null],
      );
    },
    async recordStarter(workId: string, personId: string): Promise<void> {
      await database.read(
        `insert into work_starters (root_id, person_id)
         select root_id, $2 from works where work_id = $1 on conflict do nothing`,
        [workId, personId],
      );
    },
    /** Throws if the project of the Work demands another person. Also if nobody knows who started it. */
    async requireSecondPerson(workId: string, personId: string): Promise<void> {
      const [row] = await database.read<{ needs: boolean; starter: string | null }>(
        `select coalesce(needs_second_person, false) as needs, person_id as starter
         from works left join project_policies using (project_id) left join work_starters using (root_id)
         where work_id = $1`,
        [workId],
      );
      if (row?.needs && (row.starter === null || row.starter === personId))
        throw new CrewError(
          'SECOND_PERSON_REQUIRED',
          'Approvals in this project need somebody else than the person who started the Work.',
        );
    },
  };
}

/** Throws NOT_FOUND for an unknown person or project. */
export async function setRole(
  queries: Queries,
  { projectId, personId, role }: { projectId: string; personId: string; role: Role },
): Promise<void> {
  const [row] = await queries.read<{ person_id: string }>(
    `insert into project_roles (project_id, person_id, role)
     select project_id, person_id, $3 from projects, people where project_id = $1 and person_id = $2
     on conflict (project_id, person_id) do update set role = excluded.role returning person_id`,
    [projectId, personId, role],
  );
  if (!row) throw personNotFound();
  await announceAccess(queries, personId);
}
