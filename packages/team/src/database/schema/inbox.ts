/** Whose Works are whose: who a tree of Works was handed over to, and whom it concerns for another reason. */
export const INBOX = `
/** Without a row it belongs to who started it. */
create table work_owners (
  root_id text collate "C" primary key references works (work_id) on delete cascade,
  person_id text collate "C" not null references people on delete cascade
);
create index work_owners_by_person on work_owners (person_id);
create index work_starters_by_person on work_starters (person_id);

/** Until the person does something in the Work, or removes it. */
create table inbox_entries (
  root_id text collate "C" not null references works (work_id) on delete cascade,
  person_id text collate "C" not null references people on delete cascade,
  /** received: handed over to the person; given: by the person; mentioned: named in a message. */
  reason text not null check (reason in ('received', 'given', 'mentioned')),
  /** The other person. */
  by_id text collate "C" not null references people on delete cascade,
  at timestamptz not null default now(),
  primary key (root_id, person_id)
);
create index inbox_entries_by_person on inbox_entries (person_id);
`;
