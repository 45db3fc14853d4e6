/** People of the team. There is always an administrator who can sign in. */
import { CrewError } from '@crewagent/core';
import type { Person } from '@crewagent/protocol/api/accounts';
import type { Role } from '@crewagent/protocol/roles';
import type { Database, Queries } from '../database/database.ts';
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
/** A person with roles, for queries that find who makes a request. */
export declare const PERSON_WITH_ROLES =
  'people.person_id, email, people.name, is_admin, disabled_at, people.created_at,\n  (select json_object_agg(project_id, role) from project_roles\n   where project_roles.person_id = people.person_id) as roles';
export interface PersonWithRolesRow extends PersonRow {
  readonly roles: Readonly<Record<string, Role>> | null;
}
export interface PersonWithRoles {
  readonly person: Person;
  readonly roles: ReadonlyMap<string, Role>;
}
export declare function toPersonWithRoles(row: PersonWithRolesRow): PersonWithRoles;
export declare function createPeople(database: Database): {
  create: (person: NewPerson) => Promise<{
    personId: string;
    email: string;
    name: string;
    isAdmin: boolean;
    isDisabled: boolean;
    createdAt: string;
  }>;
  find(personId: string): Promise<Person | undefined>;
  findByEmail(email: string): Promise<
    | (Person & {
        passwordHash: string | undefined;
      })
    | undefined
  >;
  list(): Promise<Person[]>;
  change: (personId: string, { name, isAdmin, isDisabled }: PersonChange) => Promise<Person>;
  setPassword(personId: string, passwordHash: string): Promise<void>;
};
/** Throws PERSON_EXISTS if somebody has the e-mail address. */
export declare function createPerson(
  queries: Queries,
  { email, name, passwordHash, isAdmin }: NewPerson,
): Promise<Person>;
export declare function personNotFound(): CrewError;
