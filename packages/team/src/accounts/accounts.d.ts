/** The accounts of a team: composition of their parts, and what several of them do together. */
import { CrewError } from '@crewagent/core';
import type { Person } from '@crewagent/protocol/api/accounts';
import { type Role } from '@crewagent/protocol/roles';
import type { Database } from '../database/database.ts';
import { type AttemptLimits } from './attempts.ts';
import { type PasswordCost } from './passwords.ts';
import { type SessionLimits } from './sessions.ts';
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
export declare function createAccounts(options: AccountsOptions): {
  people: {
    create: (person: import('./people.ts').NewPerson) => Promise<{
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
    change: (
      personId: string,
      { name, isAdmin, isDisabled }: import('./people.ts').PersonChange,
    ) => Promise<Person>;
    setPassword(personId: string, passwordHash: string): Promise<void>;
  };
  sessions: {
    absoluteSeconds: number;
    open(personId: string, { userAgent, address }: import('./sessions.ts').Device): Promise<string>;
    find(token: string, isUse?: boolean): Promise<import('./sessions.ts').FoundSession | undefined>;
    list(personId: string): Promise<import('@crewagent/protocol/api/accounts').ShownSession[]>;
    end(
      personId: string,
      which?: {
        readonly only?: string;
        readonly except?: string;
      },
    ): Promise<void>;
    sweep(): Promise<void>;
  };
  attempts: {
    begin(
      account: string | undefined,
      address: string,
    ): Promise<{
      succeeded(): Promise<void>;
    }>;
    sweep(): Promise<void>;
  };
  links: {
    createSignIn: (personId: string) => Promise<string>;
    invite({ projectId, role, days, createdBy }: import('./links.ts').NewInvitation): Promise<{
      token: string;
      invitation: {
        linkId: string;
        role: 'approve' | 'manage' | 'run' | 'view';
        createdAt: string;
        expiresAt: string;
      };
    }>;
    invitations(projectId: string): Promise<import('@crewagent/protocol/api/accounts').ShownInvitation[]>;
    revoke(projectId: string, linkId: string): Promise<void>;
    sweep(): Promise<void>;
  };
  identities: {
    find(issuer: string, subject: string): Promise<string | undefined>;
    add(issuer: string, subject: string, personId: string): Promise<void>;
  };
  tokens: {
    create(
      personId: string,
      { name, scope, projectId, days }: import('@crewagent/protocol/api/accounts').NewToken,
    ): Promise<{
      token: string;
      shown: import('@crewagent/protocol/api/accounts').ShownToken;
    }>;
    find(token: string, isUse?: boolean): Promise<import('./api-tokens.ts').FoundToken | undefined>;
    list(personId: string): Promise<import('@crewagent/protocol/api/accounts').ShownToken[]>;
    revoke(personId: string, tokenId: string): Promise<void>;
  };
  roles: {
    projects(): Promise<string[]>;
    members(projectId: string): Promise<import('@crewagent/protocol/api/accounts').Member[]>;
    set(projectId: string, personId: string, role: Role): Promise<void>;
    remove(projectId: string, personId: string): Promise<void>;
    policy(projectId: string): Promise<import('@crewagent/protocol/api/accounts').ProjectPolicy>;
    setPolicy(
      projectId: string,
      { needsSecondPerson }: import('@crewagent/protocol/api/accounts').ProjectPolicy,
    ): Promise<void>;
    recordStarter(workId: string, personId: string): Promise<void>;
    requireSecondPerson(workId: string, personId: string): Promise<void>;
  };
  audit: {
    append(entry: import('./audit.ts').NewAuditEntry): Promise<void>;
    list: ({
      projectId,
      before,
      limit,
    }: import('./audit.ts').AuditQuery) => Promise<import('@crewagent/protocol/api/accounts').AuditEntry[]>;
    export(projectId?: string | undefined): AsyncGenerator<string, void>;
  };
  /** Throws SIGN_IN_FAILED, which does not say whether there is such a person. */
  checkPassword(email: string, password: string, address: string): Promise<Person>;
  changePassword(person: Person, password: string): Promise<void>;
  hasPassword({ email }: Person): Promise<boolean>;
  /** Uses the link up, unless the password is refused. */
  useSignInLink(token: string, password: string | undefined): Promise<Person>;
  /** For a person who is signed in, or for somebody new. Uses the invitation up. */
  acceptInvitation(
    token: string,
    who: Person | NewAccount,
  ): Promise<{
    readonly person: Person;
    readonly projectId: string;
    readonly role: Role;
  }>;
  /** The first administrator, and the token of a link with which they sign in. Throws if there is one. */
  createFirstAdmin({ email, name }: Omit<NewAccount, 'password'>): Promise<{
    person: Person;
    token: string;
  }>;
  /** Removes what is over. Call it now and then. */
  sweep(): Promise<void>;
};
export declare function signInFailed(): CrewError;
