/** People of the team. There is always an administrator who can sign in. */
import { CrewError } from '@crewagent/core';
import { createUuidV7 } from '@crewagent/core/store';
import type { Person } from '@crewagent/protocol/api/accounts';
import type { Role } from '@crewagent/protocol/roles';
import type { Database, Queries } from '../database/database.ts';
import { announceAccess } from './access-changes.ts';

export interface NewPerson {
  readonly email: string;
  readonly name: string;
  readonly passwordHash?: string | undefined;
  readonly isAdmin?: boolean | undefined;
}

export interface PersonChange {
  readonly name?: string | undefined;
  readonly isAdmin?: boolean | undefined;
  readonly isDisabled?: boolean | undefined;
}

export interface PersonRow {
  readonly person_id: string;
  readonly email: string;
  readonly name: string;
  readonly is_admin: boolean;
  readonly disabled_at: Date | null;
  readonly created_at: Date;
}

const COLUMNS = 'person_id, email, name, is_admin, disabled_at, created_at';

/** A person with roles, for queries that find who makes a request. */
export const PERSON_WITH_ROLES = `people.person_id, email, people.name, is_admin, disabled_at, people.created_at,
  (select json_object_agg(project_id, role) from project_roles
   where project_roles.person_id = people.person_id) as roles`;

export interface PersonWithRolesRow extends PersonRow {
  readonly roles: Readonly<Record<string, Role>> | null;
}

export interface PersonWithRoles {
  readonly person: Person;
  readonly roles: ReadonlyMap<string, Role>;
}

export function toPersonWithRoles(row: PersonWithRolesRow): PersonWithRoles {
  return { person: toPerson(row), roles: new Map(Object.entries(row.roles ?? {})) };
}

const newId = createUuidV7(() => new Date());

export function createPeople(database: Database) {
  const change = async (personId: string, { name, isAdmin, isDisabled }: PersonChange): Promise<Person> =>
    database.transaction(async (queries) => {
      // One change at a time, so that the last administrator is known.
      await queries.write('select person_id from people where is_admin for update');
      const [row] = await queries.write<PersonRow>(
        `update people set name = coalesce($2, name), is_admin = coalesce($3, is_admin),
           disabled_at = case when $4 then coalesce(disabled_at, now()) when not $4 then null else disabled_at end
         where person_id = $1 returning ${COLUMNS}`,
        [personId, name ?? null, isAdmin ?? null, isDisabled ?? null],
      );
      if (!row) throw personNotFound();
      await requireAdmin(queries);
      if (isDisabled) await queries.write('delete from sessions where person_id = $1', [personId]);
      await announceAccess(queries, personId);
      return toPerson(row);
    });
  return {
    create: (person: NewPerson) => createPerson(database, person),
    async find(personId: string): Promise<Person | undefined> {
      const [row] = await database.read<PersonRow>(`select ${COLUMNS} from people where person_id = $1`, [
        personId,
      ]);
      return row && toPerson(row);
    },
    async findByEmail(email: string): Promise<(Person & { passwordHash: string | undefined }) | undefined> {
      const [row] = await database.read<PersonRow & { password_hash: string | null }>(
        `select ${COLUMNS}, password_hash from people where lower(email) = lower($1)`,
        [email],
      );
      return row && { ...toPerson(row), passwordHash: row.password_hash ?? undefined };
    },
    async list(): Promise<Person[]> {
      const rows = await database.read<PersonRow>(
        `select ${COLUMNS} from people order by lower(name), person_id`,
      );
      return rows.map(toPerson);
    },
    change,
    async setPassword(personId: string, passwordHash: string): Promise<void> {
      await database.read('update people set password_hash = $2 where person_id = $1', [
        personId,
        passwordHash,
      ]);
    },
  };
}

/** Throws PERSON_EXISTS if somebody has the e-mail address. */
export async function createPerson(
  queries: Queries,
  { email, name, passwordHash, isAdmin = false }: NewPerson,
): Promise<Person> {
  const [row] = await queries.write<PersonRow>(
    `insert into people (person_id, email, name, password_hash, is_admin) values ($1, $2, $3, $4, $5)
     on conflict do nothing returning ${COLUMNS}`,
    [newId(), email, name, passwordHash ?? null, isAdmin],
  );
  if (!row) throw new CrewError('PERSON_EXISTS', 'Somebody already has this e-mail address.');
  return toPerson(row);
}

async function requireAdmin(queries: Queries): Promise<void> {
  const [row] = await queries.write('select from people where is_admin and disabled_at is null limit 1');
  if (!row) throw new CrewError('USAGE', 'This is the last administrator. Make somebody else one first.');
}

export function personNotFound(): CrewError {
  return new CrewError('NOT_FOUND', 'There is no such person.');
}

function toPerson(row: PersonRow): Person {
  return {
    personId: row.person_id,
    email: row.email,
    name: row.name,
    isAdmin: row.is_admin,
    isDisabled: row.disabled_at !== null,
    createdAt: row.created_at.toISOString(),
  };
}
