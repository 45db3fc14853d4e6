/**
 * Works, their logs, state documents and journals. What a lease holder writes goes through `commit_work`, which compares the epoch of its
 * lease: a worker that lost its lease writes nothing.
 *
 * JSON is stored as text: `jsonb` rejects characters that logs may contain. Ids compare by byte, as in the other adapters.
 */
export const WORKS = `
create table documents (
  name text primary key,
  value text not null
);

create table projects (
  project_id text collate "C" primary key,
  /** Everything but the path of the folder, which differs by machine. */
  document text not null,
  /** Where the files come from. */
  source text not null
);

create table packages (
  hash text collate "C" primary key,
  /** Path, hash and size of each file. */
  files text not null,
  origin text,
  installed_at timestamptz not null default now()
);

create table blobs (
  sha256 text collate "C" primary key,
  bytes bigint not null,
  content bytea,
  created_at timestamptz not null default now()
);

create table works (
  work_id text collate "C" primary key,
  project_id text collate "C" not null references projects,
  /** The Work at the top of its parents: all of a tree share a workspace. */
  root_id text collate "C" not null,
  parent_id text collate "C",
  /** The run that began the chain of calls. */
  call_root_id text collate "C",
  is_run boolean not null,
  package_hash text collate "C",
  phase text not null,
  record text not null,
  version integer not null default 0,
  /** The transaction of the last change, for readers that ask what is new. */
  changed xid8 not null default pg_current_xact_id()
);
create index works_by_project on works (project_id, work_id desc);
create index works_by_root on works (root_id);
create index works_by_parent on works (parent_id) where parent_id is not null;
create index works_by_call on works (call_root_id) where call_root_id is not null;
create index works_by_package on works (package_hash) where package_hash is not null;
create index works_by_change on works (changed);

create table removed_works (
  work_id text collate "C" primary key,
  project_id text collate "C" not null,
  is_run boolean not null,
  changed xid8 not null default pg_current_xact_id()
);
create index removed_works_by_change on removed_works (changed);

/** What changes often, apart from the records: leases and the end of each log. */
create table work_heads (
  work_id text collate "C" primary key references works on delete cascade,
  epoch bigint not null default 0,
  holder text,
  leased_until timestamptz,
  last_seq integer not null default 0,
  /** Number of commits: tells whether one that was cut off has happened. */
  commits integer not null default 0,
  stop_requests integer not null default 0
) with (fillfactor = 50);

create table work_events (
  work_id text collate "C" not null references works on delete cascade,
  seq integer not null,
  epoch bigint not null,
  event text not null,
  primary key (work_id, seq)
);

/** Files of \`@state\`; the state document is one of them. */
create table state_files (
  work_id text collate "C" not null references works on delete cascade,
  path text collate "C" not null,
  content bytea,
  /** Of a content in \`blobs\`. */
  sha256 text collate "C" not null,
  primary key (work_id, path)
);

create table work_journal (
  work_id text collate "C" not null references works on delete cascade,
  position integer not null,
  record text not null,
  primary key (work_id, position)
);

/** Project files that a tree of Works changed and that are not checked in yet; without an entry the file was deleted. */
create table workspace_files (
  root_id text collate "C" not null references works on delete cascade,
  path text collate "C" not null,
  entry text,
  primary key (root_id, path)
);

create function commit_work(
  the_work text, the_epoch bigint, after_commit integer, after_seq integer, events text[],
  state_paths text[], state_contents bytea[], state_hashes text[],
  journal_after integer, journal_records text[],
  changed_paths text[], changed_entries text[]
) returns void language plpgsql as $$
declare
  last integer := after_seq + cardinality(events);
begin
  update work_heads set last_seq = last, commits = after_commit + 1
    where work_id = the_work and epoch = the_epoch and commits = after_commit and last_seq = after_seq;
  if not found then
    raise exception 'the lease of the Work was lost' using errcode = 'CA001';
  end if;
  insert into work_events (work_id, seq, epoch, event)
    select the_work, after_seq + added.position, the_epoch, added.event
    from unnest(events) with ordinality as added (event, position);
  if cardinality(state_paths) > 0 then
    delete from state_files using unnest(state_paths, state_hashes) as given (path, sha256)
      where state_files.work_id = the_work and state_files.path = given.path and given.sha256 is null;
    insert into state_files (work_id, path, content, sha256)
      select the_work, given.path, given.content, given.sha256
      from unnest(state_paths, state_contents, state_hashes) as given (path, content, sha256)
      where given.sha256 is not null
      on conflict (work_id, path) do update set content = excluded.content, sha256 = excluded.sha256;
  end if;
  insert into work_journal (work_id, position, record)
    select the_work, journal_after + added.position, added.record
    from unnest(journal_records) with ordinality as added (record, position);
  if cardinality(changed_paths) > 0 then
    insert into workspace_files (root_id, path, entry)
      select works.root_id, given.path, given.entry
      from works, unnest(changed_paths, changed_entries) as given (path, entry)
      where works.work_id = the_work
      on conflict (root_id, path) do update set entry = excluded.entry;
  end if;
  if cardinality(events) > 0 then
    perform pg_notify('crewagent_events', the_work || ' ' || last);
  end if;
end
$$;
`;
