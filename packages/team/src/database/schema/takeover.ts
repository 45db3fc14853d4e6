/** What the next worker needs to know of one that died, beside the log. */
export const TAKEOVER = `
/** An event of the command is stored: whoever takes over continues it instead of executing it again. */
alter table commands add column has_begun boolean not null default false;

/** What programs of a Work changed and nobody has approved yet. */
create table held_views (
  work_id text collate "C" not null references works on delete cascade,
  name text collate "C" not null,
  view text not null,
  primary key (work_id, name)
);
`;
