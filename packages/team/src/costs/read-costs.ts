/** What the Works of a team cost, from the sums that their commits stored. No log is read. */
import type { CostReport, NamedCost, OwnerCost } from '@crewagent/protocol/api/costs';
import { type CostSum, NO_COST } from '@crewagent/protocol/costs';
import type { Queries } from '../database/database.ts';

export interface TeamCostQuery {
  readonly days: number;
  /** Minutes ahead of UTC. */
  readonly utcOffset: number;
  /** Default: all. Otherwise of these projects, and of the person in any other. */
  readonly only?:
    | { readonly projects: readonly string[]; readonly personId?: string | undefined }
    | undefined;
}

/** The most expensive of each kind. */
const MAX_ROWS = 366;
const MAX_WORKS = 20;

interface SumRow {
  readonly kind: keyof typeof KINDS | 'total' | 'works';
  readonly id: string | null;
  readonly name: string | null;
  readonly project_id: string | null;
  readonly requests: string;
  readonly prompt: string;
  readonly completion: string;
  readonly cost: number;
  readonly unpriced: string;
}

/** Columns by which sums are made. */
const KINDS = {
  days: 'day',
  models: 'model',
  packages: 'package',
  people: 'person_id',
  projects: 'project_id',
} as const;

const SUMS = `coalesce(sum(requests), 0) as requests, coalesce(sum(prompt_tokens), 0) as prompt,
  coalesce(sum(completion_tokens), 0) as completion, coalesce(sum(cost_usd), 0) as cost,
  coalesce(sum(unpriced_tokens), 0) as unpriced`;
/** Without prices, the most tokens. */
const ORDER = 'order by cost desc, sum(prompt_tokens + completion_tokens) desc';

export async function readTeamCosts(
  database: Queries,
  { days, utcOffset, only }: TeamCostQuery,
): Promise<Omit<CostReport, 'prices'>> {
  const rows = await database.read<SumRow>(
    `with spent as (
       select spending.*, to_char((hour at time zone 'UTC') + $2 * interval '1 min', 'YYYY-MM-DD') as day
       from spending
       where hour >= (date_trunc('day', (now() at time zone 'UTC') + $2 * interval '1 min')
           - ($1 - 1) * interval '1 day' - $2 * interval '1 min') at time zone 'UTC'
         and ($3::text[] is null or project_id = any($3::text[]) or person_id = $4)),
     sums as (
       select 'total' as kind, null as id, null as project_id, ${SUMS} from spent
       ${Object.entries(KINDS)
         .map(
           ([kind, column]) =>
             `union all (select '${kind}', ${column}, null, ${SUMS} from spent group by ${column} ${ORDER} limit ${MAX_ROWS})`,
         )
         .join('\n')}
       union all (select 'works', root_id, project_id, ${SUMS} from spent
         group by root_id, project_id ${ORDER} limit ${MAX_WORKS}))
     select kind, id, sums.project_id, requests, prompt, completion, cost, unpriced,
       case kind when 'people' then people.name when 'projects' then projects.document::json ->> 'name'
         when 'works' then coalesce(nullif(record::json ->> 'title', ''), record::json ->> 'workflowTitle', left(work_id, 0))
         else id end as name
     from sums left join people on kind = 'people' and person_id = id
       left join projects on kind = 'projects' and projects.project_id = id
       left join works on kind = 'works' and work_id = id`,
    [days, utcOffset, only?.projects ?? null, only?.personId ?? null],
  );
  const of = (kind: SumRow['kind']): SumRow[] => rows.filter((row) => row.kind === kind);
  const named = (kind: SumRow['kind']): NamedCost[] =>
    of(kind).map((row) => ({ name: row.id ?? '', ...toSum(row) }));
  const owned = (kind: SumRow['kind']): OwnerCost[] =>
    of(kind).map((row) => ({ id: row.id ?? '', name: row.name ?? '', ...toSum(row) }));
  const [total] = of('total');
  return {
    total: total ? toSum(total) : NO_COST,
    days: named('days').sort((a, b) => (a.name < b.name ? 1 : -1)),
    models: named('models'),
    packages: named('packages'),
    people: owned('people'),
    projects: owned('projects'),
    // A Work that was deleted cannot be opened.
    works: of('works').flatMap((row) =>
      row.name === null
        ? []
        : [{ workId: row.id ?? '', projectId: row.project_id ?? '', title: row.name, ...toSum(row) }],
    ),
    remaining: 0,
  };
}

function toSum({ requests, prompt, completion, cost, unpriced }: SumRow): CostSum {
  return {
    requests: Number(requests),
    promptTokens: Number(prompt),
    completionTokens: Number(completion),
    costUsd: cost,
    unpricedTokens: Number(unpriced),
  };
}
