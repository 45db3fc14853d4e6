/**
 * People, how they sign in, what they may do, and what they did. Tokens, links and sessions are stored as SHA-256 of 256 random bits:
 * who reads the table cannot use them.
 */
export const ACCOUNTS = `
create table people (
  person_id text collate "C" primary key,
  email text not null,
  name text not null,
  /** Argon2id; without one the person signs in by other means. */
  password_hash text,
  is_admin boolean not null default false,
  disabled_at timestamptz,
  created_at timestamptz not null default now()
);
create unique index people_by_email on people (lower(email));

create table identities (
  issuer text collate "C" not null,
  subject text collate "C" not null,
  person_id text collate "C" not null references people on delete cascade,
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index identities_by_person on identities (person_id);

create table passkeys (
  credential_id text collate "C" primary key,
  person_id text collate "C" not null references people on delete cascade,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null default '{}',
  name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index passkeys_by_person on passkeys (person_id);

create table sessions (
  token_hash bytea primary key,
  session_id text collate "C" not null unique,
  person_id text collate "C" not null references people on delete cascade,
  user_agent text not null,
  address text not null,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index sessions_by_person on sessions (person_id);

create table api_tokens (
  token_hash bytea primary key,
  token_id text collate "C" not null unique,
  person_id text collate "C" not null references people on delete cascade,
  name text not null,
  scope text not null check (scope in ('view', 'run', 'approve', 'manage')),
  /** Null: all projects of the person. */
  project_id text collate "C" references projects on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index api_tokens_by_person on api_tokens (person_id);

create table project_roles (
  project_id text collate "C" not null references projects on delete cascade,
  person_id text collate "C" not null references people on delete cascade,
  role text not null check (role in ('view', 'run', 'approve', 'manage')),
  primary key (project_id, person_id)
);
create index project_roles_by_person on project_roles (person_id);

create table project_policies (
  project_id text collate "C" primary key references projects on delete cascade,
  needs_second_person boolean not null default false
);

/** Who started each tree of Works. */
create table work_starters (
  root_id text collate "C" primary key references works (work_id) on delete cascade,
  person_id text collate "C" not null references people
);

/** Links that work once: an invitation to a project, or the sign-in of one person. */
create table links (
  token_hash bytea primary key,
  link_id text collate "C" not null unique,
  kind text not null check (kind in ('invitation', 'sign-in')),
  person_id text collate "C" references people on delete cascade,
  project_id text collate "C" references projects on delete cascade,
  role text check (role in ('view', 'run', 'approve', 'manage')),
  created_by text collate "C" references people on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

/** Sign-ins in progress: what the second request of one must match. */
create table ceremonies (
  token_hash bytea primary key,
  kind text not null,
  content text not null,
  expires_at timestamptz not null
);

create table sign_in_attempts (
  subject text collate "C" primary key,
  attempts integer not null,
  since timestamptz not null default now()
);

create table audit_log (
  entry_id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  /** No reference: entries outlive people and projects. */
  person_id text,
  /** As it was then. */
  person text,
  via text not null,
  action text not null,
  project_id text,
  target text,
  outcome text not null,
  address text,
  details text
);
create index audit_log_by_project on audit_log (project_id, entry_id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only' using errcode = 'CA002';
end
$$;
create trigger audit_log_is_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change();

create table secrets (
  /** Of the team if it is empty. */
  project_id text collate "C" not null,
  name text collate "C" not null,
  key_id text not null,
  sealed bytea not null,
  primary key (project_id, name)
);
create function remove_secrets() returns trigger language plpgsql as $$
begin
  delete from secrets where project_id = old.project_id;
  return null;
end
$$;
create trigger projects_take_secrets_along after delete on projects
  for each row execute function remove_secrets();
`;
