/** The quotas of a team for its workers: asked before each turn, and only while there are any. */
import type { Quota } from '@crewagent/core';
import type { Database } from '../database/database.ts';
import { isSpent, QUOTAS_CHANNEL, type QuotaRow, SPENT, toAmounts } from './quotas.ts';

export interface TeamQuota extends Quota {
  close(): void;
}

export async function openQuotas(database: Database): Promise<TeamQuota> {
  let hasQuotas = true;
  const load = async (): Promise<void> => {
    const [row] = await database.read<{ has: boolean }>('select exists (select from quotas) as has');
    hasQuotas = row?.has ?? true;
  };
  const unsubscribe = database.notices.subscribe(QUOTAS_CHANNEL, () => {
    // Until it is known, each turn asks.
    hasQuotas = true;
    void load().catch(() => undefined);
  });
  await load();
  return {
    async findExceeded(workId) {
      if (!hasQuotas) return undefined;
      const rows = await readQuotasOf(database, workId);
      const exceeded = rows.find(isSpent);
      return exceeded && { ...(await toReason(database, exceeded)) };
    },
    async limitsCost(workId) {
      return (
        hasQuotas && (await readQuotasOf(database, workId)).some(({ cost_usd: limit }) => limit !== null)
      );
    },
    close: unsubscribe,
  };
}

/** Those that hold for a Work: of its project, and of its person or else of everybody. The longest wait first. */
function readQuotasOf(database: Database, workId: string): Promise<QuotaRow[]> {
  return database.read<QuotaRow>(
    `select quota.*, spent.*, ${NAME} as name
     from (select project_id, payer_of(root_id) as person_id from works where work_id = $1) as work
     cross join lateral (
       (select * from quotas where quotas.project_id = work.project_id)
       union all
       (select * from quotas
        where quotas.project_id is null and work.person_id <> ''
          and (quotas.person_id = work.person_id or quotas.person_id is null)
        order by quotas.person_id nulls last limit 1)) as quota
     ${SPENT('work.person_id')}
     left join people on people.person_id = work.person_id
     left join projects on projects.project_id = quota.project_id
     order by spent.ends_at desc`,
    [workId],
  );
}

const NAME =
  "case when quota.project_id is null then people.name else projects.document::json ->> 'name' end";

async function toReason(database: Database, row: QuotaRow) {
  const admins = await database.read<{ name: string }>(
    'select name from people where is_admin and disabled_at is null order by created_at limit 3',
  );
  const names = admins.map(({ name }) => name).join(', ');
  const until = row.ends_at.toISOString().replace('.000', '');
  const subject = row.name ?? '';
  const spent = toAmounts(row);
  const message = `${subject} used ${spent} of this ${row.period}; ${names} can raise the quota, otherwise the run continues after ${until}.`;
  return { message, details: { subject, spent, admins: names, period: row.period, until } };
}
