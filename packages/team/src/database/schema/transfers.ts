/** Works that are moved to and from other stores. */
export const TRANSFERS = `
/** Contents that people of a project may read because they sent them, or because they belong to a Work that they may see. */
create table transfer_contents (
  project_id text collate "C" not null references projects on delete cascade,
  sha256 text collate "C" not null,
  named_at timestamptz not null default now(),
  primary key (project_id, sha256)
);
create index transfer_contents_by_time on transfer_contents (named_at);
`;
