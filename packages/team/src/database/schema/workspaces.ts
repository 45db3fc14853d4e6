/**
 * Contents of files and the versions of projects. A version is a set of changed paths: the tree of a version has, for each path, the entry
 * of the newest version up to it. A tree of Works starts from a version, and what it changes is merged into a newer one.
 */
export const WORKSPACES = `
/** A content is in its row, in chunks in this database, or in chunks in an object store. */
alter table blobs
  /** How the content, or each of its chunks, is compressed. */
  add column encoding text not null default 'plain',
  /** Above 0: the content is in chunks. */
  add column chunks integer not null default 0,
  /** Prefix of the names of its chunks in the object store; null if they are in this database. */
  add column object text collate "C",
  /** When it was last stored, whether or not it was there already: what was stored lately may get a name soon. */
  add column used_at timestamptz not null default now();
/** Contents are compressed before they arrive here. */
alter table blobs alter column content set storage external;
create index blobs_by_use on blobs (used_at);

create table blob_chunks (
  sha256 text collate "C" not null,
  position integer not null,
  content bytea not null,
  primary key (sha256, position)
);
alter table blob_chunks alter column content set storage external;

/** Prefixes of objects that no blob has: being uploaded, or of a blob that was deleted. */
create table stray_objects (
  object text collate "C" primary key,
  chunks integer not null,
  since timestamptz not null default now()
);

/** The newest version; 0 has no files. */
alter table projects add column head integer not null default 0;

create table project_versions (
  project_id text collate "C" not null references projects on delete cascade,
  version integer not null,
  made_at timestamptz not null default now(),
  /** The person, or the Work whose changes were checked in. */
  made_by text not null,
  /** The tree of Works that made it. */
  root_id text collate "C",
  /** The commit of the project's git branch that is part of this version for the first time. */
  git_commit text,
  primary key (project_id, version)
);
create index project_versions_by_root on project_versions (root_id) where root_id is not null;

create table project_files (
  project_id text collate "C" not null references projects on delete cascade,
  path text collate "C" not null,
  version integer not null,
  /** Null if the version deletes it. */
  entry text,
  primary key (project_id, path, version)
);
create index project_files_by_version on project_files (project_id, version);

/** The files of the last fetched commit of a project from git. */
create table source_files (
  project_id text collate "C" not null references projects on delete cascade,
  path text collate "C" not null,
  entry text not null,
  primary key (project_id, path)
);

create table workspaces (
  root_id text collate "C" primary key references works on delete cascade,
  project_id text collate "C" not null references projects on delete cascade,
  base_version integer not null
);

/** Changes that could not be merged. The project has the entry of \`theirs\`; all three are null for a path without a file. */
create table workspace_conflicts (
  conflict_id bigint generated always as identity primary key,
  project_id text collate "C" not null references projects on delete cascade,
  /** Null for a change of the project's source. */
  root_id text collate "C",
  path text collate "C" not null,
  reason text not null,
  base text,
  theirs text,
  ours text,
  made_at timestamptz not null default now(),
  resolution text,
  resolved_by text,
  resolved_at timestamptz
);
create index workspace_conflicts_open on workspace_conflicts (project_id) where resolution is null;
create index workspace_conflicts_by_root on workspace_conflicts (root_id) where root_id is not null;
`;
