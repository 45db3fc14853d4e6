/** Hours that are over, summed once: a quota is asked before each turn, and a month has a row for each tree, hour and model. */
export const SPENT_HOURS = `
create table spent_hours (
  /** A person or a project. */
  subject text collate "C" not null,
  hour timestamptz not null,
  tokens bigint not null,
  cost_usd double precision not null,
  unpriced_tokens bigint not null,
  primary key (subject, hour)
);

/** Hours before this one are in spent_hours. */
create table spent_until (hour timestamptz not null);
insert into spent_until values ('-infinity');

/** No statement takes five minutes, so that nothing is added to an hour that was over for that long. One process at a time. */
create function close_hours() returns void language plpgsql as $$
declare
  since timestamptz;
  till timestamptz := date_trunc('hour', now() - interval '5 minutes', 'UTC');
begin
  select hour into since from spent_until where hour < till for update skip locked;
  if since is null then return; end if;
  insert into spent_hours
  select subject, hour, sum(prompt_tokens + completion_tokens), sum(cost_usd), sum(unpriced_tokens)
  from spending cross join lateral (values (person_id), (project_id)) as of (subject)
  where hour >= since and hour < till and subject <> ''
  group by subject, hour;
  update spent_until set hour = till;
end
$$;

create or replace function spent_in(the_period text, the_person text, the_project text,
  out ends_at timestamptz, out used_tokens bigint, out used_usd double precision, out unpriced bigint)
language plpgsql stable as $$
declare
  since timestamptz := date_trunc(the_period, now(), 'UTC');
  open_since timestamptz := greatest(since, (select hour from spent_until));
begin
  ends_at := (since at time zone 'UTC' + ('1 ' || the_period)::interval) at time zone 'UTC';
  with parts as (
    select tokens, cost_usd, unpriced_tokens from spent_hours
    where subject = coalesce(the_project, the_person) and hour >= since
    union all
    select prompt_tokens + completion_tokens, cost_usd, unpriced_tokens from spending
    where the_project is null and person_id = the_person and hour >= open_since
    union all
    select prompt_tokens + completion_tokens, cost_usd, unpriced_tokens from spending
    where project_id = the_project and hour >= open_since)
  select coalesce(sum(tokens), 0), coalesce(sum(cost_usd), 0), coalesce(sum(unpriced_tokens), 0)
    into used_tokens, used_usd, unpriced from parts;
end
$$;
`;
