/** Every endpoint of a real server, called by somebody who may not see the project of others, with texts that attack. */
import { createRuntime } from '@crewagent/core';
import { TEAM_ENDPOINTS } from '@crewagent/protocol/api/accounts';
import { createCalls } from '@crewagent/protocol/api/client';
import { API_ROOT, type Endpoint } from '@crewagent/protocol/api/define-endpoint';
import { listEndpoints } from '@crewagent/protocol/api/endpoints';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rawZip } from '../../../core/src/testing/packages/raw-zip.ts';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { RIGHTS, type Rule } from '../access/rights.ts';
import { createAccounts } from '../accounts/accounts.ts';
import { openTeam } from '../store/open-team.ts';
import { sampleOf } from '../testing/sample-of.ts';
import { testDatabase } from '../testing/team-rig.ts';
import { TEST_KEYS } from '../testing/test-keys.ts';
import { startTeamServer } from './serve-team.ts';

const HOSTILE = [
  ...[`'; drop table people; -- " or ""="`, '\u0000', '../../../%2e%2e%2fetc\\passwd', '\ud800'],
  // A valid address.
  "o'--x@example.com",
];
/** In everything of the project of others. */
const MARK = 'secret-of-others';
const TABLE = RIGHTS as Readonly<Record<string, Readonly<Record<string, Rule | 'absent'>>>>;

/** Without those that end the session of the caller, or never answer. */
const ENDPOINTS = [...listEndpoints(), ...listEndpoints(TEAM_ENDPOINTS)].flatMap(({ name, endpoint }) => {
  const [group = '', member = ''] = name.split('.');
  const rule = TABLE[group]?.[member] ?? 'absent';
  const isCalled = rule !== 'absent' && !(endpoint as Endpoint).message && name !== 'account.signOut';
  return isCalled ? [{ name, endpoint: endpoint as Endpoint, rule }] : [];
});

async function setUp() {
  const database = await testDatabase();
  const bugs: unknown[] = [];
  const scratch = await tempFolder();
  const { url, stop } = await startTeamServer({
    databaseUrl: database.url,
    scratch,
    keys: TEST_KEYS,
    env: {},
    passwordCost: { memoryCost: 8, timeCost: 1 },
    onBug: (_, error) => void bugs.push(error),
  });
  onTestFinished(stop);
  const accounts = createAccounts({ database });
  const signIn = async (name: string, isAdmin = false) => {
    const { personId } = await accounts.people.create({ email: `${name}@example.com`, name, isAdmin });
    const session = await accounts.sessions.open(personId, { userAgent: 'test', address: '' });
    const send: typeof fetch = (input, init) =>
      fetch(input, { ...init, headers: { ...init?.headers, cookie: `crewagent=${session}`, origin: url } });
    return { send, team: createCalls(TEAM_ENDPOINTS, { baseUrl: url, token: undefined, fetch: send }) };
  };
  const store = openTeam({ database, scratch: await tempFolder(), holder: 'test', keys: TEST_KEYS });
  const runtime = createRuntime({
    storeRoot: await tempFolder(),
    store: store.store,
    areContinuedElsewhere: true,
  });
  onTestFinished(() => runtime.close());
  /** A project with a file and a conversation, of the person whose client this is. */
  const addProject = async ({ team }: Awaited<ReturnType<typeof signIn>>, text: string) => {
    const { projectId } = await team.teamProjects.create({
      body: { name: text, source: { kind: 'upload' } },
    });
    const zip = rawZip([{ name: `${text}.md`, data: `# ${text}\n` }]);
    await team.teamProjects.uploadArchive({ projectId, body: zip });
    const projectPath = store.projects.addressOf?.(projectId) ?? '';
    const address = await runtime.registerWork({ kind: 'chat', projectPath });
    await runtime.renameConversation(address, text);
    return { projectId, workId: address.workId };
  };
  const call = async (
    send: typeof fetch,
    { path, method, body }: Call,
  ): Promise<{ status: number; text: string }> => {
    const init =
      body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const response = await send(`${url}${API_ROOT}${path}`, { method, ...init });
    return { status: response.status, text: await response.text() };
  };
  return { bugs, database, signIn, addProject, call };
}

interface Call {
  readonly path: string;
  readonly method: string;
  readonly body?: unknown;
}

interface Parts {
  readonly params: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly body: Record<string, unknown> | undefined;
}

function toCall({ method, path }: Endpoint, { params, query, body }: Parts): Call {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeText(params[name]));
  const search = Object.entries(query).map(([name, value]) => `${name}=${encodeText(value)}`);
  return { method, path: `${filled}${search.length > 0 ? `?${search.join('&')}` : ''}`, body };
}

function encodeText(value: unknown): string {
  return encodeURIComponent(String(value).replace('\ud800', '�'));
}

/** The call with these ids wherever the rule names a project or a Work. */
function partsOf(
  endpoint: Endpoint,
  { projects = [], works = [] }: Rule,
  ids: { projectId: string; workId: string },
): Parts {
  const parts: Parts = {
    params: sampleOf(endpoint.params),
    query: sampleOf(endpoint.query),
    body: endpoint.acceptsBytes || !endpoint.body ? undefined : sampleOf(endpoint.body),
  };
  for (const [fields, id] of [
    [projects, ids.projectId],
    [works, ids.workId],
  ] as const)
    for (const field of fields) {
      const [part, name] = field.split('.') as [keyof Parts, string];
      const values = parts[part];
      if (values && (part === 'params' || name in values)) values[name] = id;
    }
  return parts;
}

describe('every endpoint of a team server', () => {
  it('[H1] shows nothing of a project to people without a role in it, whatever is sent', async () => {
    const { bugs, signIn, addProject, call } = await setUp();
    const [owner, other] = [await signIn('owner'), await signIn('other')];
    const foreign = await addProject(owner, MARK);
    await addProject(other, 'own');
    const wrong: unknown[] = [];
    for (const { name, endpoint, rule } of ENDPOINTS) {
      const answer = await call(other.send, toCall(endpoint, partsOf(endpoint, rule, foreign)));
      const isNamed = (rule.projects ?? rule.works ?? []).some((field) => field.startsWith('params.'));
      if (
        answer.text.includes(MARK) ||
        answer.status >= 500 ||
        (isNamed && ![403, 404].includes(answer.status))
      )
        wrong.push([name, answer]);
    }
    expect(wrong).toEqual([]);
    expect(bugs).toEqual([]);
  }, 240_000);

  it('[H1] takes any text in any field as data, or refuses it', async () => {
    const { bugs, database, signIn, addProject, call } = await setUp();
    const [owner, admin] = [await signIn('owner'), await signIn('admin', true)];
    await addProject(owner, MARK);
    const own = await addProject(owner, 'own');
    const wrong: unknown[] = [];
    for (const { name, endpoint, rule } of ENDPOINTS) {
      // Commands wait for a worker, and nobody is to wait for one here.
      const workId = endpoint.method === 'GET' ? own.workId : own.workId.replace(/^.{8}/, '00000000');
      const parts = partsOf(endpoint, rule, { ...own, workId });
      const fields = (['params', 'query', 'body'] as const).flatMap((part) => {
        const shape = (endpoint[part] as { shape?: object } | undefined)?.shape ?? {};
        return Object.keys(shape).map((field) => ({ part, field }));
      });
      const { send } = rule.needs === 'admin' ? admin : owner;
      const calls = fields.flatMap(({ part, field }) =>
        HOSTILE.map((text) => ({ ...parts, [part]: { ...parts[part], [field]: text } })),
      );
      const answers = await Promise.all(calls.map((hostile) => call(send, toCall(endpoint, hostile))));
      for (const [index, answer] of answers.entries())
        if (answer.status >= 500) wrong.push([name, calls[index], answer]);
    }
    expect(wrong).toEqual([]);
    expect(bugs).toEqual([]);
    const [count] = await database.read<{ people: number }>('select count(*)::integer as people from people');
    expect(count?.people).toBeGreaterThanOrEqual(2);
  }, 400_000);
});
