/**
 * Who gets the next free slot of a worker. `take_trees` takes trees of Works out of the queue and claims them in one statement: a worker
 * that is frozen meanwhile holds no lock, and a tree is in the queue or claimed, never neither.
 */
export const SHARES = `
/** Workers that may advance the Works of a project: those with all of these labels. */
alter table project_policies add column labels text[] not null default '{}';

/** The same for one tree of Works, in addition. */
create table work_labels (
  root_id text collate "C" primary key references works (work_id) on delete cascade,
  labels text[] not null
);

/** How many there are in a project decides who is next. */
alter table commands add column project_id text collate "C";
create index queued_commands_by_project on commands (project_id) where state = 'queued';

/** For whom a worker advances the tree, and since when. */
alter table claims
  add column person text collate "C",
  add column project_id text collate "C",
  add column taken_at timestamptz;
create index claims_by_person on claims (person, taken_at desc);
create index claims_by_project on claims (project_id, taken_at desc);

/** Sorted, without repetitions. */
create function labels_of(the_root text) returns text[] language sql stable as $$
  select coalesce(array_agg(distinct label order by label), '{}') from (
    select unnest(work_labels.labels) as label from work_labels where root_id = the_root
    union
    select unnest(project_policies.labels) from works join project_policies using (project_id) where work_id = the_root
  ) as asked
$$;

/**
 * The person with the fewest trees at work is next, and of several the one whose turn is longest ago; so are their projects. An advance of
 * a tree that is claimed, or that has nothing to do, is forgotten: whoever has the claim looks for commands before it ends.
 */
create function take_trees(the_worker text, the_pools text[], the_limit integer, claim_ms integer)
returns table (taken_root text, taken_epoch bigint) language plpgsql as $$
declare
  entry record;
  left_over integer := the_limit;
begin
  -- One at a time: two workers would count the same shares.
  perform pg_advisory_xact_lock(7240014);
  for entry in
    with queued as (
      select workflow_uuid, split_part(workflow_uuid, ':', 1) collate "C" as root_id, priority, created_at
      from crewagent_queue.workflow_status
      where queue_name = any(the_pools)
        and (status = 'ENQUEUED'
          or status = 'DELAYED' and delay_until_epoch_ms <= extract(epoch from now()) * 1000)
      order by priority, created_at limit 1000),
    known as (
      select queued.*, works.project_id, coalesce(command.person, '') as person,
        command.command_id is not null as has_command
      from queued left join works on works.work_id = queued.root_id
      left join lateral (
        select command_id, person from commands
        where commands.root_id = queued.root_id and state in ('queued', 'taken', 'accepted', 'handed-over')
        order by command_id limit 1) as command on true),
    projects_at_work as (
      select project_id, (select max(taken_at) from claims where claims.project_id = asking.project_id) as project_turn,
        (select count(*) from claims where claims.project_id = asking.project_id and claimed_until > now()) as busy
      from (select distinct project_id from known) as asking),
    people_at_work as (
      select person, (select max(taken_at) from claims where claims.person = asking.person) as person_turn,
        (select count(*) from claims where claims.person = asking.person and claimed_until > now()) as busy
      from (select distinct person from known) as asking),
    by_project as (
      select known.*, project_turn,
        busy + row_number() over (partition by project_id order by priority, created_at) as of_project
      from known left join projects_at_work using (project_id)),
    by_person as (
      select by_project.*, person_turn,
        busy + row_number() over (
          partition by person order by of_project, project_turn nulls first, priority, created_at) as of_person
      from by_project join people_at_work using (person))
    select * from by_person
    order by has_command, of_person, person_turn nulls first, of_project, project_turn nulls first, created_at
  loop
    if entry.has_command then
      exit when left_over = 0;
      with abandoned as (select root_id from claims where root_id = entry.root_id and claimed_until < now()),
      taken as (
        insert into claims (root_id, worker_id, epoch, claimed_until, person, project_id, taken_at)
        values (entry.root_id, the_worker, 1, now() + claim_ms * interval '1 ms', entry.person, entry.project_id, now())
        on conflict (root_id) do update
        set worker_id = excluded.worker_id, epoch = claims.epoch + 1, claimed_until = excluded.claimed_until,
          person = excluded.person, project_id = excluded.project_id, taken_at = excluded.taken_at
        where claims.claimed_until is null or claims.claimed_until < now()
        returning root_id, epoch),
      ended as (
        update work_heads set leased_until = null
        from abandoned join taken using (root_id) join works using (root_id)
        where work_heads.work_id = works.work_id)
      select root_id, epoch into taken_root, taken_epoch from taken;
      if found then
        left_over := left_over - 1;
        return next;
      end if;
    end if;
    delete from crewagent_queue.workflow_status where workflow_uuid = entry.workflow_uuid;
  end loop;
end
$$;
`;
