/** The accounts of a team: composition of their parts, and what several of them do together. */
import { CrewError } from '@crewagent/core';
import type { Person } from '@crewagent/protocol/api/accounts';
import { includesRole, type Role } from '@crewagent/protocol/roles';
import type { Database } from '../database/database.ts';
import { createApiTokens } from './api-tokens.ts';
import { type AttemptLimits, createAttempts } from './attempts.ts';
import { createAudit } from './audit.ts';
import { createExternalIdentities } from './identities.ts';
import { createLinks, createSignInLink, useInvitation, useSignInLink } from './links.ts';
import { createPasswords, type PasswordCost } from './passwords.ts';
import { createPeople, createPerson, personNotFound } from './people.ts';
import { createRoles, setRole } from './roles.ts';
import { createSessions, type SessionLimits } from './sessions.ts';

export interface AccountsOptions {
  readonly database: Database;
  readonly passwordCost?: PasswordCost | undefined;
  readonly attemptLimits?: AttemptLimits | undefined;
  readonly sessionLimits?: SessionLimits | undefined;
}

export interface NewAccount {
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts(options: AccountsOptions) {
  const { database } = options;
  const passwords = createPasswords(options.passwordCost);
  const people = createPeople(database);
  const attempts = createAttempts(database, options.attemptLimits);
  const sessions = createSessions(database, options.sessionLimits);
  const links = createLinks(database);
  const requirePerson = async (personId: string): Promise<Person> => {
    const person = await people.find(personId);
    if (!person) throw personNotFound();
    return person;
  };
  return {
    people,
    sessions,
    attempts,
    links,
    identities: createExternalIdentities(database),
    tokens: createApiTokens(database),
    roles: createRoles(database),
    audit: createAudit(database),

    /** Throws SIGN_IN_FAILED, which does not say whether there is such a person. */
    async checkPassword(email: string, password: string, address: string): Promise<Person> {
      const attempt = await attempts.begin(email.toLowerCase(), address);
      const found = await people.findByEmail(email);
      const isRight = await passwords.verify(found?.passwordHash, password);
      if (!found || !isRight || found.isDisabled) throw signInFailed();
      await attempt.succeeded();
      const { passwordHash: _, ...person } = found;
      return person;
    },
    async changePassword(person: Person, password: string): Promise<void> {
      await people.setPassword(person.personId, await passwords.hash(password, person.email));
    },
    async hasPassword({ email }: Person): Promise<boolean> {
      return (await people.findByEmail(email))?.passwordHash !== undefined;
    },
    /** Uses the link up, unless the password is refused. */
    async useSignInLink(token: string, password: string | undefined): Promise<Person> {
      return database.transaction(async (queries) => {
        const personId = await useSignInLink(queries, token);
        const person = await requirePerson(personId);
        if (password !== undefined)
          await queries.write('update people set password_hash = $2 where person_id = $1', [
            personId,
            await passwords.hash(password, person.email),
          ]);
        return person;
      });
    },
    /** For a person who is signed in, or for somebody new. Uses the invitation up. */
    async acceptInvitation(
      token: string,
      who: Person | NewAccount,
    ): Promise<{ readonly person: Person; readonly projectId: string; readonly role: Role }> {
      const passwordHash = 'password' in who ? await passwords.hash(who.password, who.email) : undefined;
      return database.transaction(async (queries) => {
        const { projectId, role } = await useInvitation(queries, token);
        const person =
          'personId' in who
            ? who
            : await createPerson(queries, { email: who.email, name: who.name, passwordHash });
        const [known] = await queries.read<{ role: Role }>(
          'select role from project_roles where project_id = $1 and person_id = $2',
          [projectId, person.personId],
        );
        // An invitation takes nothing away.
        if (!includesRole(known?.role, role))
          await setRole(queries, { projectId, personId: person.personId, role });
        return { person, projectId, role };
      });
    },
    /** The first administrator, and the token of a link with which they sign in. Throws if there is one. */
    async createFirstAdmin({
      email,
      name,
    }: Omit<NewAccount, 'password'>): Promise<{ person: Person; token: string }> {
      return database.transaction(async (queries) => {
        await queries.write('lock table people in share row exclusive mode');
        const [admin] = await queries.write('select from people where is_admin limit 1');
        if (admin) throw new CrewError('USAGE', 'This team already has an administrator.');
        const person = await createPerson(queries, { email, name, isAdmin: true });
        return { person, token: await createSignInLink(queries, person.personId) };
      });
    },
    /** Removes what is over. Call it now and then. */
    async sweep(): Promise<void> {
      await attempts.sweep();
      await sessions.sweep();
      await links.sweep();
    },
  };
}

export function signInFailed(): CrewError {
  return new CrewError('SIGN_IN_FAILED', 'The e-mail address or the password is wrong.');
}
