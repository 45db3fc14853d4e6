/** What waits for a person, in all projects they may see: their own Works that wait, those handed over, and those that mention them. */
import { CrewError } from '@crewagent/core';
import type { InboxWork } from '@crewagent/protocol/api/team';
import { includesRole, type Role } from '@crewagent/protocol/roles';
import type { Database } from '../database/database.ts';
import { ACTIVE_COLUMNS, type ActiveRow, IS_UNDER_WAY, toActiveWork } from './active-works.ts';
import { findMentioned, type Nameable } from './mentioned-people.ts';

export type Inbox = ReturnType<typeof createInbox>;

const MAX_WORKS = 500;

interface Member extends Nameable {
  readonly role: Role;
}

export function createInbox(database: Database) {
  /** People who may see the project of the Work, administrators included. */
  const readMembers = async (workId: string): Promise<Member[]> => {
    const rows = await database.read<{ person_id: string; name: string; email: string; role: Role }>(
      `select people.person_id, name, email, case when is_admin then 'manage' else role end as role
       from works cross join people left join project_roles
         on project_roles.person_id = people.person_id and project_roles.project_id = works.project_id
       where work_id = $1 and disabled_at is null and (is_admin or role is not null)`,
      [workId],
    );
    return rows.map(({ person_id: personId, name, email, role }) => ({ personId, name, email, role }));
  };
  return {
    async list(personId: string, scope: readonly string[] | null): Promise<InboxWork[]> {
      const rows = await database.read<ActiveRow & { reason: InboxWork['reason']; by: string | null }>(
        `with mine as (
           select root_id from inbox_entries where person_id = $1
           union select root_id from work_owners where person_id = $1
           union select root_id from work_starters where person_id = $1
             and not exists (select from work_owners where work_owners.root_id = work_starters.root_id))
         select ${ACTIVE_COLUMNS}, coalesce(entry.reason, 'waiting') as reason, sender.name as by
         from mine join works using (root_id)
           left join work_starters using (root_id) left join work_owners using (root_id)
           left join people on people.person_id = coalesce(work_owners.person_id, work_starters.person_id)
           left join inbox_entries as entry on entry.root_id = works.root_id and entry.person_id = $1
           left join people as sender on sender.person_id = entry.by_id
         where parent_id is null and (phase = 'WaitingUser' and not ${IS_UNDER_WAY} or entry.reason is not null)
           and ($2::text[] is null or project_id = any($2::text[]))
         order by entry.at desc nulls last, work_id desc limit $3`,
        [personId, scope, MAX_WORKS],
      );
      return rows.map(({ reason, by, ...row }) => ({
        ...toActiveWork(row),
        reason,
        ...(by === null ? {} : { by }),
      }));
    },
    /** Throws USAGE for somebody who could do nothing with the Work. */
    async requireReceiver(workId: string, personId: string): Promise<Member> {
      const member = (await readMembers(workId)).find((one) => one.personId === personId);
      if (member && includesRole(member.role, 'run')) return member;
      throw new CrewError('USAGE', 'Choose somebody who has the role run in this project.');
    },
    async handOver(
      rootId: string,
      { from, to }: { readonly from: string; readonly to: string },
    ): Promise<void> {
      await database.transaction(async ({ write }) => {
        await write(
          `insert into work_owners (root_id, person_id) values ($1, $2)
           on conflict (root_id) do update set person_id = excluded.person_id`,
          [rootId, to],
        );
        await write(
          `insert into inbox_entries (root_id, person_id, reason, by_id)
           values ($1, $2, 'received', $3), ($1, $3, 'given', $2)
           on conflict (root_id, person_id) do update
           set reason = excluded.reason, by_id = excluded.by_id, at = now()`,
          [rootId, to, from],
        );
      });
    },
    /** The person has seen to it; what they wrote may concern others. */
    async acted(workId: string, personId: string, text: string | undefined): Promise<void> {
      await database.read(
        'delete from inbox_entries using works where work_id = $1 and inbox_entries.root_id = works.root_id and person_id = $2',
        [workId, personId],
      );
      if (!text?.match(/[@＠]/u)) return;
      const mentioned = findMentioned(text, await readMembers(workId)).filter((one) => one !== personId);
      await database.read(
        `insert into inbox_entries (root_id, person_id, reason, by_id)
         select root_id, unnest($2::text[]), 'mentioned', $3 from works where work_id = $1
         on conflict (root_id, person_id) do update set at = now(), by_id = excluded.by_id`,
        [workId, mentioned, personId],
      );
    },
  };
}
