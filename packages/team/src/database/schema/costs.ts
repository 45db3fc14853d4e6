/** What the models cost, and how much of it people and projects may spend. */
export const COSTS = `
/**
 * Summed by tree of Works, hour and model, with the commits of their turns. No references: what was spent stays when a Work or its project
 * is deleted. Works of another tree write other rows, so that commits do not wait for each other.
 */
create table spending (
  root_id text collate "C" not null,
  hour timestamptz not null,
  model text collate "C" not null,
  /** '' is chat without a package. */
  package text collate "C" not null,
  /** Whose Work it was at that time. */
  person_id text collate "C" not null,
  project_id text collate "C" not null,
  requests integer not null,
  prompt_tokens bigint not null,
  completion_tokens bigint not null,
  /** Of requests whose price is known. */
  cost_usd double precision not null,
  /** Tokens of the other requests. */
  unpriced_tokens bigint not null,
  primary key (root_id, hour, model, package, person_id)
) with (fillfactor = 70);
create index spending_by_hour on spending (hour);
create index spending_by_person on spending (person_id, hour);
create index spending_by_project on spending (project_id, hour);

/** Without a person and a project: of each person who has none. */
create table quotas (
  person_id text collate "C" references people on delete cascade,
  project_id text collate "C" references projects on delete cascade,
  /** Days and months of UTC. */
  period text not null check (period in ('day', 'month')),
  tokens bigint,
  cost_usd double precision,
  check (person_id is null or project_id is null),
  check (tokens is not null or cost_usd is not null),
  unique nulls not distinct (person_id, project_id)
);

/** Who started the Work is recorded a moment after its first command. */
create function payer_of(the_root text) returns text language sql stable as $$
  select coalesce(
    (select person_id from work_owners where root_id = the_root),
    (select person_id from work_starters where root_id = the_root),
    (select person from commands where root_id = the_root and person is not null order by command_id limit 1),
    '')
$$;

/** In the transaction of the commits that report it. */
create function add_spending(
  the_works text[], the_models text[], the_requests integer[], prompts bigint[], completions bigint[],
  costs double precision[], unpriced bigint[]
) returns void language sql as $$
  insert into spending as old
  select root_id, date_trunc('hour', now(), 'UTC'), model,
    coalesce(record::json ->> 'packageName', record::json #>> '{agent,package,name}', ''), payer_of(root_id), project_id,
    sum(asked), sum(prompt), sum(completion), sum(cost), sum(unknown)
  from unnest(the_works, the_models, the_requests, prompts, completions, costs, unpriced)
    as given (work_id, model, asked, prompt, completion, cost, unknown)
  join works using (work_id)
  group by root_id, model, 4, project_id order by root_id, model
  on conflict (root_id, hour, model, package, person_id) do update
  set requests = old.requests + excluded.requests,
    prompt_tokens = old.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = old.completion_tokens + excluded.completion_tokens,
    cost_usd = old.cost_usd + excluded.cost_usd,
    unpriced_tokens = old.unpriced_tokens + excluded.unpriced_tokens
$$;

/** Since the current day or month began. Exactly one of person and project is given. */
create function spent_in(the_period text, the_person text, the_project text,
  out ends_at timestamptz, out used_tokens bigint, out used_usd double precision, out unpriced bigint)
language plpgsql stable as $$
declare
  since timestamptz := date_trunc(the_period, now(), 'UTC');
begin
  ends_at := (since at time zone 'UTC' + ('1 ' || the_period)::interval) at time zone 'UTC';
  if the_project is null then
    select sum(prompt_tokens + completion_tokens), sum(cost_usd), sum(unpriced_tokens)
      into used_tokens, used_usd, unpriced from spending where person_id = the_person and hour >= since;
  else
    select sum(prompt_tokens + completion_tokens), sum(cost_usd), sum(unpriced_tokens)
      into used_tokens, used_usd, unpriced from spending where project_id = the_project and hour >= since;
  end if;
  used_tokens := coalesce(used_tokens, 0);
  used_usd := coalesce(used_usd, 0);
  unpriced := coalesce(unpriced, 0);
end
$$;
`;
