import { TEAM_ENDPOINTS } from '@crewagent/protocol/api/accounts';
import type { Endpoint } from '@crewagent/protocol/api/define-endpoint';
import { ENDPOINTS, listEndpoints } from '@crewagent/protocol/api/endpoints';
import { includesRole, ROLES, type Role } from '@crewagent/protocol/roles';
import type * as z from '@crewagent/protocol/zod';
import { describe, expect, it } from 'vitest';
import { mountRaw } from '../../../server/src/mount.ts';
import { type AccountsRig, createAccountsRig } from '../testing/accounts-rig.ts';
import { sampleOf } from '../testing/sample-of.ts';
import { type Field, RIGHTS, type Rule } from './rights.ts';

const TABLE = RIGHTS as Readonly<Record<string, Readonly<Record<string, Rule | 'absent'>>>>;

const ENTRIES = listEndpoints({ ...ENDPOINTS, ...TEAM_ENDPOINTS }).map(({ name, endpoint }) => {
  const [group = '', member = ''] = name.split('.');
  return { name, endpoint, rule: TABLE[group]?.[member] ?? ('absent' as const) };
});

/** Names of fields that identify a project or a Work, wherever they occur. */
const PROJECT_FIELDS = new Set(['projectId', 'project']);
const WORK_FIELDS = new Set(['workId', 'runId']);

function fieldsOf({ params, query, body }: Endpoint): Field[] {
  return Object.entries({ params, query, body }).flatMap(([part, schema]) =>
    Object.keys((schema as z.ZodMiniObject | undefined)?.shape ?? {}).map(
      (name) => `${part}.${name}` as Field,
    ),
  );
}

describe('the table of rights', () => {
  it('names every field of every endpoint that identifies a project or a Work, and no field that does not exist', () => {
    for (const { name, endpoint, rule } of ENTRIES) {
      if (rule === 'absent') continue;
      const fields = fieldsOf(endpoint);
      const { projects = [], works = [] } = rule;
      for (const field of [...projects, ...works]) expect(fields, name).toContain(field);
      const nameOf = (field: Field): string => field.split('.')[1] ?? '';
      expect(projects, name).toEqual(fields.filter((field) => PROJECT_FIELDS.has(nameOf(field))));
      expect(works, name).toEqual(
        expect.arrayContaining(fields.filter((field) => WORK_FIELDS.has(nameOf(field)))),
      );
    }
  });

  it('has no endpoint about paths, dialogs or models of one machine', () => {
    const absent = ENTRIES.filter(({ rule }) => rule === 'absent').map(({ name }) => name);
    expect(absent).toEqual(
      expect.arrayContaining(['folders.list', 'projects.open', 'files.reveal', 'packages.importPath']),
    );
    for (const { name, endpoint, rule } of ENTRIES)
      if (fieldsOf(endpoint).includes('body.path') && !name.startsWith('files.') && name !== 'streams.add')
        expect([name, rule === 'absent' || name === 'projects.revoke']).toEqual([name, true]);
  });
});

interface Caller {
  readonly headers: Readonly<Record<string, string>>;
  /** In the project of the calls. */
  readonly role: Role | undefined;
  readonly kind: 'nobody' | 'session' | 'admin' | 'token';
}

/** What the table says of a call in which every field has the ids of one project. */
function expectedOf(rule: Rule, { kind, role }: Caller, isNamed: boolean): number {
  const need = isNamed ? rule.needs : (rule.otherwise ?? rule.needs);
  if (rule.needs === 'anyone') return 200;
  if (kind === 'nobody') return 401;
  const isOwn = rule.needs === 'self' || rule.needs === 'admin';
  if (isOwn && (kind === 'token' || (rule.needs === 'admin' && kind !== 'admin'))) return 403;
  if (kind === 'admin') return 200;
  if (isNamed && role === undefined) return 404;
  if (need === 'self' || need === 'person') return 200;
  if (need === 'admin') return 403;
  return includesRole(role, need as Role) ? 200 : 403;
}

/** A call of the endpoint whose ids of projects and Works are these. */
function toCall(endpoint: Endpoint, rule: Rule, ids: { projectId: string; workId: string }) {
  const set = (
    part: 'params' | 'query' | 'body',
    sample: Record<string, unknown>,
  ): Record<string, unknown> => {
    const idIn = (name: string): string | undefined => {
      if (rule.projects?.includes(`${part}.${name}`)) return ids.projectId;
      return rule.works?.includes(`${part}.${name}`) ? ids.workId : undefined;
    };
    const shape = Object.keys((endpoint[part] as z.ZodMiniObject | undefined)?.shape ?? {});
    const own = shape.flatMap((name): [string, unknown][] => {
      const id = idIn(name);
      return id === undefined ? [] : [[name, id]];
    });
    return { ...sample, ...Object.fromEntries(own) };
  };
  const params = set('params', sampleOf(endpoint.params));
  const query = set('query', sampleOf(endpoint.query));
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const search = new URLSearchParams(query as Record<string, string>).toString();
  return {
    path: `${path}${search && `?${search}`}`,
    method: endpoint.method,
    body: endpoint.body && set('body', sampleOf(endpoint.body)),
  };
}

/** Every endpoint that the server offers, with a handler that only says that it was reached. */
function mountAll({ router }: AccountsRig): void {
  for (const { endpoint } of ENTRIES)
    mountRaw(router, endpoint, () => Promise.resolve(new Response('reached', { status: 200 })));
}

async function createCallers(
  rig: AccountsRig,
  projectId: string,
  elsewhere: string,
): Promise<Map<string, Caller>> {
  const callers = new Map<string, Caller>([['nobody', { headers: {}, role: undefined, kind: 'nobody' }]]);
  for (const role of ROLES) {
    const person = await rig.addPerson(role);
    const headers = await rig.signIn(person, { projectId, role });
    callers.set(role, { headers, role, kind: 'session' });
  }
  const manager = await rig.addPerson('both');
  await rig.accounts.roles.set(projectId, manager.personId, 'manage');
  for (const scope of ROLES)
    callers.set(`token ${scope}`, {
      headers: await rig.tokenOf(manager, scope, projectId),
      role: scope,
      kind: 'token',
    });
  const viewer = await rig.addPerson('viewer');
  await rig.accounts.roles.set(projectId, viewer.personId, 'view');
  callers.set('token that exceeds its person', {
    headers: await rig.tokenOf(viewer, 'manage'),
    role: 'view',
    kind: 'token',
  });
  const admin = await rig.addPerson('admin', { isAdmin: true });
  callers.set('admin', { headers: await rig.signIn(admin), role: 'manage', kind: 'admin' });
  callers.set('token of an admin', {
    headers: await rig.tokenOf(admin, 'manage'),
    role: 'manage',
    kind: 'token',
  });
  const other = await rig.addPerson('other');
  callers.set('manager of another project', {
    headers: await rig.signIn(other, { projectId: elsewhere, role: 'manage' }),
    role: undefined,
    kind: 'session',
  });
  const stranger = await rig.addPerson('stranger');
  callers.set('somebody without a role', {
    headers: await rig.signIn(stranger),
    role: undefined,
    kind: 'session',
  });
  return callers;
}

describe('every endpoint', () => {
  it('[H1] is refused, or reached, as the table says, for every role, token and stranger', async () => {
    const rig = await createAccountsRig();
    mountAll(rig);
    const [projectId, elsewhere] = [await rig.addProject(), await rig.addProject()];
    const workId = await rig.addWork(projectId);
    const callers = await createCallers(rig, projectId, elsewhere);
    const wrong: string[] = [];
    for (const { name, endpoint, rule } of ENTRIES) {
      const shownRule = rule === 'absent' ? { needs: 'anyone' as const } : rule;
      const { path, method, body } = toCall(endpoint, shownRule, { projectId, workId });
      const isNamed = rule !== 'absent' && (rule.projects ?? rule.works ?? []).length > 0;
      for (const [who, caller] of callers) {
        const { status } = await rig.call(path, { method, headers: caller.headers, body });
        // Roles of other projects count where no project is named.
        const isElsewhere = who === 'manager of another project' && !isNamed;
        const seen = isElsewhere ? { ...caller, role: 'manage' as const } : caller;
        const expected = rule === 'absent' ? 404 : expectedOf(rule, seen, isNamed);
        if (status !== expected) wrong.push(`${name} by ${who}: ${status} instead of ${expected}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(rig.bugs).toEqual([]);
  }, 120_000);

  it('[H1] hides projects and Works of others in params, query and body, as if they did not exist', async () => {
    const rig = await createAccountsRig();
    mountAll(rig);
    const [own, foreign] = [await rig.addProject(), await rig.addProject()];
    const [ownWork, foreignWork] = [await rig.addWork(own), await rig.addWork(foreign)];
    const missing = {
      projectId: own.replace(/^.{8}/, '00000000'),
      workId: ownWork.replace(/^.{8}/, '00000000'),
    };
    const person = await rig.addPerson('manager');
    const headers = await rig.signIn(person, { projectId: own, role: 'manage' });
    for (const { name, endpoint, rule } of ENTRIES) {
      if (rule === 'absent' || rule.needs === 'admin') continue;
      for (const field of [...(rule.projects ?? []), ...(rule.works ?? [])]) {
        // One field at a time is foreign, the others are their own.
        const responses = await Promise.all(
          [{ projectId: foreign, workId: foreignWork }, missing].map(async (ids) => {
            const only: Rule = {
              ...rule,
              projects: pick(rule.projects, field),
              works: pick(rule.works, field),
            };
            const mine = toCall(endpoint, rule, { projectId: own, workId: ownWork });
            const bad = toCall(endpoint, only, ids);
            const isPath = field.startsWith('params.');
            const response = await rig.call(isPath ? bad.path : mergeQuery(mine.path, bad.path, field), {
              method: endpoint.method,
              headers,
              body: mine.body && { ...mine.body, ...(field.startsWith('body.') ? bad.body : {}) },
            });
            return { status: response.status, text: await response.text() };
          }),
        );
        expect([name, field, ...responses.map(({ status }) => status)]).toEqual([name, field, 404, 404]);
        expect(responses[0]?.text).toBe(responses[1]?.text);
      }
    }
  }, 120_000);

  it('that allows commands to read folders of the workers is for administrators', async () => {
    const rig = await createAccountsRig();
    mountAll(rig);
    const projectId = await rig.addProject();
    const manager = await rig.signIn(await rig.addPerson('manager'), { projectId, role: 'manage' });
    const admin = await rig.signIn(await rig.addPerson('admin', { isAdmin: true }));
    const change = async (headers: Readonly<Record<string, string>>, body: object): Promise<number> =>
      (await rig.call(`/projects/${projectId}/shell`, { method: 'PATCH', headers, body })).status;
    expect(await change(manager, { enabled: true, folders: [] })).toBe(200);
    expect(await change(manager, { enabled: true, folders: ['/'] })).toBe(403);
    expect(await change(admin, { folders: ['/srv/tools'] })).toBe(200);
  });

  it('[H1] is refused to a person who was disabled, and with an old session or token', async () => {
    const rig = await createAccountsRig();
    mountAll(rig);
    const projectId = await rig.addProject();
    const admin = await rig.addPerson('first', { isAdmin: true });
    expect(admin.isAdmin).toBe(true);
    const person = await rig.addPerson('person');
    const session = await rig.signIn(person, { projectId, role: 'manage' });
    const token = await rig.tokenOf(person, 'manage');
    const path = `/projects/${projectId}`;
    const statuses = async () =>
      Promise.all([session, token].map(async (headers) => (await rig.call(path, { headers })).status));
    expect(await statuses()).toEqual([200, 200]);
    await rig.accounts.people.change(person.personId, { isDisabled: true });
    expect(await statuses()).toEqual([401, 401]);
    await rig.accounts.people.change(person.personId, { isDisabled: false });
    // Sessions ended with it; tokens work again.
    expect(await statuses()).toEqual([401, 200]);
    await rig.database.write("update api_tokens set expires_at = now() - interval '1 second'");
    expect(await statuses()).toEqual([401, 401]);
    const again = await rig.signIn(person);
    expect((await rig.call(path, { headers: again })).status).toBe(200);
    await rig.database.write("update sessions set seen_at = now() - interval '8 days'");
    expect((await rig.call(path, { headers: again })).status).toBe(401);
    await rig.database.write("update sessions set seen_at = now(), expires_at = now() - interval '1 second'");
    expect((await rig.call(path, { headers: again })).status).toBe(401);
    await rig.database.write("update sessions set expires_at = now() + interval '1 day'");
    await rig.accounts.roles.remove(projectId, person.personId);
    expect((await rig.call(path, { headers: again })).status).toBe(404);
  });
});

function pick(fields: readonly Field[] | undefined, field: Field): readonly Field[] {
  return (fields ?? []).filter((one) => one === field);
}

function mergeQuery(own: string, foreign: string, field: Field): string {
  if (!field.startsWith('query.')) return own;
  const url = new URL(`http://host${own}`);
  for (const [name, value] of new URL(`http://host${foreign}`).searchParams)
    url.searchParams.set(name, value);
  return `${url.pathname}${url.search}`;
}
