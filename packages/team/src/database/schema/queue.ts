/**
 * What people ask of Works, and who works on them. A command is stored before anybody is told of it. A claim is the right of one worker to
 * advance a tree of Works; it ends only when no command is left.
 */
export const QUEUE = `
create table workers (
  worker_id text primary key,
  host text not null,
  process integer not null,
  version text not null,
  slots integer not null,
  labels text[] not null,
  is_draining boolean not null default false,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

create table claims (
  root_id text collate "C" primary key references works (work_id) on delete cascade,
  worker_id text not null,
  epoch bigint not null,
  claimed_until timestamptz
);

create table commands (
  command_id bigint generated always as identity primary key,
  root_id text collate "C" not null references works (work_id) on delete cascade,
  /** The Work that executes it. */
  work_id text collate "C" not null,
  method text not null,
  arguments text not null,
  /** Who sent it. */
  person text,
  /** queued, taken, accepted, handed-over, done, failed */
  state text not null default 'queued',
  /** The last event of the Work when it was taken: tells whether one that was cut off had begun. */
  taken_seq integer,
  reply text,
  /** Of one that is handed over: not before. */
  due_at timestamptz,
  created_at timestamptz not null default now()
);
create index open_commands on commands (root_id) where state in ('queued', 'taken', 'accepted', 'handed-over');
/** How many a person has in the queue decides who is next. */
create index queued_commands on commands (person) where state = 'queued';
create index old_commands on commands (created_at) where state in ('done', 'failed');
`;
