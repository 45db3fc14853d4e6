/** Accounts, rights and their routes on a database of its own, without a port. */
import { randomUUID } from 'node:crypto';
import { CrewError } from '@crewagent/core';
import type { Person } from '@crewagent/protocol/api/accounts';
import { API_ROOT } from '@crewagent/protocol/api/define-endpoint';
import type { Role } from '@crewagent/protocol/roles';
import type { Router } from '@crewagent/server/team';
import { Hono } from 'hono';
import { toErrorResponse } from '../../../server/src/error-response.ts';
import type { ServerEnv } from '../../../server/src/mount.ts';
import { guardAccess } from '../../../server/src/security/guard.ts';
import { createSessionCookie } from '../access/session-cookie.ts';
import { createTeamAccounts, type TeamAccountsOptions } from '../http/team-accounts.ts';
import { testDatabase } from './team-rig.ts';

export const PASSWORD = 'a long enough password';
export const PUBLIC_URL = 'https://crew.example.com';
/** Cheap: what is tested is not how slow it is. */
const CHEAP = { memoryCost: 8, timeCost: 1 };

export type AccountsRig = Awaited<ReturnType<typeof createAccountsRig>>;

export interface Request {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export async function createAccountsRig(options: Partial<TeamAccountsOptions> = {}) {
  const database = await testDatabase();
  const { accounts, access, identities, currentPerson, mount } = createTeamAccounts({
    usualApproval: () => Promise.resolve('ask'),
    ...options,
    database,
    passwordCost: CHEAP,
    publicUrl: PUBLIC_URL,
    proxies: 1,
  });
  const cookie = createSessionCookie(true);
  const bugs: unknown[] = [];

  const app = new Hono<ServerEnv>();
  app.onError((error) =>
    toErrorResponse(error, { redact: (text) => text, onBug: (_, bug) => void bugs.push(bug) }),
  );
  app.use('*', guardAccess(access));
  app.notFound(() => {
    throw new CrewError('NOT_FOUND', 'No such endpoint.');
  });
  const router: Router = { app, access, redact: (text) => text, bodyTimeMs: 10_000, checksResponses: true };

  const addPerson = async (
    name: string,
    more: { isAdmin?: boolean; password?: string } = {},
  ): Promise<Person> => {
    const person = await accounts.people.create({
      email: `${name}@example.com`,
      name,
      isAdmin: more.isAdmin,
    });
    if (more.password !== undefined) await accounts.changePassword(person, more.password);
    return person;
  };
  return {
    database,
    accounts,
    access,
    identities,
    currentPerson,
    app,
    router,
    bugs,
    mountRoutes: () => mount(router),
    addPerson,
    async addProject(): Promise<string> {
      const projectId = randomUUID();
      const sql = "insert into projects (project_id, document, source) values ($1, '{}', '{}')";
      await database.write(sql, [projectId]);
      return projectId;
    },
    async addWork(projectId: string): Promise<string> {
      const workId = randomUUID();
      await database.write(
        `insert into works (work_id, project_id, root_id, is_run, phase, record)
         values ($1, $2, $1, true, 'Completed', '{}')`,
        [workId, projectId],
      );
      return workId;
    },
    /** Somebody with a role in a project, signed in; the headers of their requests. */
    async signIn(person: Person, role?: { readonly projectId: string; readonly role: Role }) {
      if (role) await accounts.roles.set(role.projectId, person.personId, role.role);
      const device = { userAgent: 'test', address: '127.0.0.1' };
      return {
        cookie: cookie.write(await accounts.sessions.open(person.personId, device), 60).split(';')[0] ?? '',
      };
    },
    async tokenOf(person: Person, scope: Role, projectId?: string) {
      const { token } = await accounts.tokens.create(person.personId, {
        name: 'ci',
        scope,
        projectId,
        days: 1,
      });
      return { authorization: `Bearer ${token}` };
    },
    /** `path` is relative to the API. */
    async call(path: string, { method = 'GET', headers = {}, body }: Request = {}): Promise<Response> {
      const init = {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      };
      return app.request(`${PUBLIC_URL}${API_ROOT}${path}`, init, {});
    },
  };
}
