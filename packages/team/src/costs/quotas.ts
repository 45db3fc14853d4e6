/** Quotas as rows: what people and projects may spend in a period, and what they have spent. */
import { CrewError } from '@crewagent/core';
import type { QuotaLimits, ShownQuota } from '@crewagent/protocol/api/quotas';
import type { Database, Queries } from '../database/database.ts';

export const QUOTAS_CHANNEL = 'crewagent_quotas';
const MAX_QUOTAS = 500;

/** Large integers are texts. */
export interface QuotaRow {
  readonly person_id: string | null;
  readonly project_id: string | null;
  readonly name: string | null;
  readonly period: QuotaLimits['period'];
  readonly tokens: string | null;
  readonly cost_usd: number | null;
  readonly ends_at: Date;
  readonly used_tokens: string;
  readonly used_usd: number;
  readonly unpriced: string;
}

/** Joins what is spent to a row `quota`. `person`: whose, if the quota is not of a project. */
export const SPENT = (person: string): string =>
  `cross join lateral spent_in(quota.period, ${person}, quota.project_id) as spent`;

export function isSpent(row: QuotaRow): boolean {
  const { tokens, cost_usd: costUsd } = row;
  return (
    (tokens !== null && Number(row.used_tokens) >= Number(tokens)) ||
    (costUsd !== null && row.used_usd >= costUsd)
  );
}

/** What is spent of the limit that was reached. */
export function toAmounts(row: QuotaRow): string {
  const { tokens, cost_usd: costUsd } = row;
  const count = (value: string): string => Number(value).toLocaleString('en');
  return costUsd !== null && row.used_usd >= costUsd
    ? `$${row.used_usd.toFixed(2)} / $${costUsd.toFixed(2)}`
    : `${count(row.used_tokens)} / ${count(tokens ?? '0')} tokens`;
}

export interface QuotaSubject {
  readonly kind: ShownQuota['kind'];
  readonly subjectId?: string | undefined;
}

/** The default, people, projects. */
const ORDER = 'order by quota.project_id is not null, quota.person_id is not null, name';

export function createQuotas(database: Database) {
  return {
    /** All of them. */
    async listAll(): Promise<ShownQuota[]> {
      const rows = await database.read<QuotaRow>(
        `select quota.*, spent.*, coalesce(people.name, projects.document::json ->> 'name') as name
         from quotas as quota ${SPENT('quota.person_id')}
         left join people using (person_id) left join projects using (project_id)
         ${ORDER} limit ${MAX_QUOTAS}`,
      );
      return rows.map(toShown);
    },
    /** Those that hold for a person, and those of the projects. */
    async listFor(personId: string, projects: readonly string[]): Promise<ShownQuota[]> {
      const rows = await database.read<QuotaRow>(
        `select quota.*, spent.*, coalesce(me.name, projects.document::json ->> 'name') as name
         from (
           (select $1::text collate "C" as person_id, project_id, period, tokens, cost_usd from quotas
            where project_id is null and (quotas.person_id = $1 or quotas.person_id is null)
            order by quotas.person_id nulls last limit 1)
           union all
           select * from quotas where project_id = any($2::text[])) as quota
         ${SPENT('quota.person_id')}
         left join people as me on me.person_id = quota.person_id
         left join projects on projects.project_id = quota.project_id
         ${ORDER} limit ${MAX_QUOTAS}`,
        [personId, projects],
      );
      return rows.map(toShown);
    },
    /** Without limits it is removed. Works that wait for a quota are due: those that are still over it wait again. */
    async set(subject: QuotaSubject, limits: QuotaLimits | undefined): Promise<void> {
      await database.transaction(async (queries) => {
        await storeQuota(queries, subject, limits);
        await queries.write(
          `update commands set due_at = now()
           where state = 'handed-over' and due_at > now() and exists (
             select from works where works.root_id = commands.root_id
               and phase = 'WaitingUser' and record like '%"code":"QUOTA_EXCEEDED"%')`,
        );
        await queries.write(`select pg_notify('${QUOTAS_CHANNEL}', '')`);
      });
    },
  };
}

async function storeQuota(
  { write }: Queries,
  { kind, subjectId }: QuotaSubject,
  limits: QuotaLimits | undefined,
): Promise<void> {
  if ((subjectId === undefined) !== (kind === 'default'))
    throw new CrewError('USAGE', 'Name a person or a project, or set the default of the team.');
  const personId = kind === 'person' ? (subjectId ?? null) : null;
  const projectId = kind === 'project' ? (subjectId ?? null) : null;
  const subject = [personId, projectId];
  if (!limits) {
    await write(
      'delete from quotas where person_id is not distinct from $1 and project_id is not distinct from $2',
      subject,
    );
    return;
  }
  const [known] = await write<{ found: boolean }>(
    `select ($1::text is null or exists (select from people where person_id = $1))
       and ($2::text is null or exists (select from projects where project_id = $2)) as found`,
    subject,
  );
  if (!known?.found) throw new CrewError('NOT_FOUND', 'There is no such person or project.');
  await write(
    `insert into quotas (person_id, project_id, period, tokens, cost_usd) values ($1, $2, $3, $4, $5)
     on conflict (person_id, project_id) do update
     set period = excluded.period, tokens = excluded.tokens, cost_usd = excluded.cost_usd`,
    [...subject, limits.period, limits.tokens ?? null, limits.costUsd ?? null],
  );
}

function toShown(row: QuotaRow): ShownQuota {
  const { person_id: personId, project_id: projectId, tokens, cost_usd: costUsd } = row;
  const subjectId = personId ?? projectId ?? undefined;
  return {
    kind: projectId !== null ? 'project' : personId !== null ? 'person' : 'default',
    ...(subjectId === undefined ? {} : { subjectId }),
    name: row.name ?? '',
    period: row.period,
    ...(tokens === null ? {} : { tokens: Number(tokens) }),
    ...(costUsd === null ? {} : { costUsd }),
    ...(subjectId === undefined
      ? {}
      : {
          used: {
            tokens: Number(row.used_tokens),
            costUsd: row.used_usd,
            unpricedTokens: Number(row.unpriced),
          },
        }),
    endsAt: row.ends_at.toISOString(),
  };
}
