import { TEAM_ENDPOINTS } from '@crewagent/protocol/api/accounts';
import { createApiClient, createCalls } from '@crewagent/protocol/api/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rawZip } from '../../../core/src/testing/packages/raw-zip.ts';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { createAccounts } from '../accounts/accounts.ts';
import { testDatabase } from '../testing/team-rig.ts';
import { TEST_KEYS } from '../testing/test-keys.ts';
import { openWorkspaceRig } from '../testing/workspace-rig.ts';
import { startTeamServer } from './serve-team.ts';

const METRICS_TOKEN = 'figures';

/** A server without workers, an administrator and somebody else, both signed in. */
async function setUp() {
  const database = await testDatabase();
  const bugs: unknown[] = [];
  const { url, stop } = await startTeamServer({
    databaseUrl: database.url,
    scratch: await tempFolder(),
    keys: TEST_KEYS,
    env: { CREWAGENT_METRICS_TOKEN: METRICS_TOKEN, CREWAGENT_SHARED_FOLDERS: '/srv' },
    onBug: (_, error) => void bugs.push(error),
  });
  onTestFinished(stop);
  const accounts = createAccounts({ database });
  const signIn = async (name: string, isAdmin: boolean) => {
    const { personId } = await accounts.people.create({ email: `${name}@example.com`, name, isAdmin });
    const token = await accounts.sessions.open(personId, { userAgent: 'test', address: '' });
    const options = {
      baseUrl: url,
      token: undefined,
      fetch: ((input, init) =>
        fetch(input, {
          ...init,
          headers: { ...init?.headers, cookie: `crewagent=${token}` },
        })) as typeof fetch,
    };
    return { personId, api: createApiClient(options), team: createCalls(TEAM_ENDPOINTS, options) };
  };
  return { database, url, admin: await signIn('ada', true), person: await signIn('ben', false), bugs };
}

describe('projects of a team server', () => {
  it('[H1] belong to who creates them; only an administrator shares a folder of the machines', async () => {
    const { admin, person, bugs } = await setUp();
    const upload = { name: 'Plans', source: { kind: 'upload' } } as const;
    const { projectId } = await person.team.teamProjects.create({ body: upload });
    const me = await person.team.account.me();
    expect(me.roles).toEqual({ [projectId]: 'manage' });
    expect(me.absent).toEqual(expect.arrayContaining(['folders.list', 'projects.open', 'files.undo']));
    const { projects } = await person.api.projects.list();
    expect(projects).toMatchObject([{ projectId, name: 'Plans', exists: true }]);
    const folder = { name: 'Shared', source: { kind: 'folder', path: '/srv/shared' } } as const;
    await expect(person.team.teamProjects.create({ body: folder })).rejects.toMatchObject({
      code: 'ACCESS_DENIED',
    });
    await admin.team.teamProjects.create({ body: folder });
    expect((await person.api.projects.list()).projects).toHaveLength(1);
    expect((await admin.api.projects.list()).projects).toHaveLength(2);
    expect(bugs).toEqual([]);
  });

  it('[H1] take a zip as one version, and what a person changes as another one', async () => {
    const { database, person, bugs } = await setUp();
    const { teamProjects } = person.team;
    const body = { name: 'Plans', source: { kind: 'upload' } } as const;
    const { projectId } = await teamProjects.create({ body });
    const zip = rawZip([
      { name: 'docs/a.md', data: 'first\n' },
      { name: 'docs/b.md', data: 'second\n' },
    ]);
    const uploaded = await teamProjects.uploadArchive({ projectId, body: zip });
    expect(uploaded).toEqual({ version: 1, conflicts: 0 });
    const path = '@project/a.md';
    const read = () => person.api.files.read({ projectId, query: { path } });
    const before = await read();
    expect(before).toMatchObject({ text: 'first\n' });
    const ifMatchSha256 = 'sha256' in before ? before.sha256 : null;
    await person.api.files.save({ projectId, body: { path, text: 'changed\n', ifMatchSha256 } });
    expect(await read()).toMatchObject({ text: 'changed\n' });
    const versions = await database.read<{ made_by: string }>(
      'select made_by from project_versions where project_id = $1 and version > 0 order by version',
      [projectId],
    );
    expect(versions).toEqual([{ made_by: person.personId }, { made_by: person.personId }]);
    expect(bugs).toEqual([]);
  });

  it('[H1] show no path of the server, and are cleared and removed by who manages them', async () => {
    const { database, person, admin, bugs } = await setUp();
    const { createWork } = await openWorkspaceRig(database);
    const body = { name: 'Plans', source: { kind: 'upload' } } as const;
    const { projectId } = await person.team.teamProjects.create({ body });
    expect(await person.api.projects.show({ projectId })).toMatchObject({
      path: `team:${projectId}`,
      exists: true,
    });
    await createWork(projectId);
    const leased = await createWork(projectId);
    await database.write(
      `insert into work_heads (work_id, leased_until)
       select work_id, case when work_id = $1 then now() + interval '1 minute' end from works`,
      [leased],
    );
    expect(await person.api.projects.clear({ projectId })).toEqual({ conversations: 0, runs: 1, kept: 1 });
    await expect(person.api.projects.forget({ projectId })).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    await database.write('update work_heads set leased_until = null');
    await person.api.projects.forget({ projectId });
    expect((await admin.api.projects.list()).projects).toEqual([]);
    expect(bugs).toEqual([]);
  });

  it('from a repository that cannot be fetched are not created, and the reason is said', async () => {
    const { person, admin, bugs } = await setUp();
    const source = { kind: 'git', url: 'https://127.0.0.1:1/none.git' } as const;
    const created = person.team.teamProjects.create({ body: { name: 'Plans', source } });
    await expect(created).rejects.toMatchObject({ message: expect.stringMatching(/127\.0\.0\.1/) as string });
    expect((await admin.api.projects.list()).projects).toEqual([]);
    expect(bugs).toEqual([]);
  });

  it('[H1] show both sides of a change that could not be merged, until somebody takes one', async () => {
    const { database, person, bugs } = await setUp();
    const { openWorkspaces, createWork, change } = await openWorkspaceRig(database);
    const workspaces = await openWorkspaces();
    const body = { name: 'Plans', source: { kind: 'upload' } } as const;
    const { projectId } = await person.team.teamProjects.create({ body });
    const upload = (content: string) =>
      person.team.teamProjects.uploadArchive({ projectId, body: rawZip([{ name: 'a.md', data: content }]) });
    await upload('base\n');
    const workId = await createWork(projectId);
    const workspace = await workspaces.checkOut(workId);
    await change(workspace, 'a.md', 'by the run\n');
    await upload('by a person\n');
    await workspace.checkIn({ rootId: workId, epoch: '1' });
    const { conflicts } = await person.team.conflicts.list({ projectId });
    expect(conflicts).toMatchObject([
      {
        path: 'a.md',
        reason: 'lines',
        workId,
        project: { text: 'by a person\n' },
        change: { text: 'by the run\n' },
      },
    ]);
    const conflictId = conflicts[0]?.conflictId ?? '';
    await person.team.conflicts.resolve({ projectId, conflictId, body: { resolution: { take: 'change' } } });
    expect(await person.team.conflicts.list({ projectId })).toEqual({ conflicts: [] });
    const query = { path: '@project/a.md' };
    expect(await person.api.files.read({ projectId, query })).toMatchObject({ text: 'by the run\n' });
    expect(bugs).toEqual([]);
  });
});

describe('the activity of a team', () => {
  it('[H1] shows what the person may see, and hosts to administrators', async () => {
    const { database, admin, person, bugs } = await setUp();
    const { createProject } = await openWorkspaceRig(database);
    const foreign = await createProject();
    const body = { name: 'Plans', source: { kind: 'upload' } } as const;
    const { projectId } = await person.team.teamProjects.create({ body });
    const record = JSON.stringify({ workflowTitle: 'Plan', updatedAt: '2026-01-31T00:00:00.000Z' });
    const ids = [foreign, projectId].map((id) => id.replace(/^.{4}/, '0000'));
    for (const [index, project] of [foreign, projectId].entries()) {
      await database.write(
        `insert into works (work_id, project_id, root_id, is_run, phase, record) values ($1, $2, $1, true, 'Running', $3)`,
        [ids[index] ?? '', project, record],
      );
      await database.write(
        `insert into commands (root_id, work_id, method, arguments) values ($1, $1, 'resume', '[]')`,
        [ids[index] ?? ''],
      );
    }
    await database.write(
      `insert into workers (worker_id, host, process, version, slots, labels) values ('one', 'machine', 1, '1.0.0', 8, '{gpu}')`,
    );
    expect(await person.team.activity.works()).toMatchObject({ works: [{ projectId, title: 'Plan' }] });
    expect(await person.team.activity.queue()).toMatchObject({ open: 1, projects: [{ projectId, open: 1 }] });
    expect((await admin.team.activity.queue()).open).toBe(2);
    const [foreignId = '', ownId = ''] = ids;
    await expect(person.team.activity.waiting({ workId: foreignId })).rejects.toMatchObject({ status: 404 });
    const waiting = () => person.team.activity.waiting({ workId: ownId });
    expect(await waiting()).toMatchObject({ labels: [], isServed: true });
    expect((await waiting()).since).toBeDefined();
    await database.read('insert into work_labels values ($1, $2)', [ownId, ['eu', 'gpu']]);
    expect(await waiting()).toMatchObject({ labels: ['eu', 'gpu'], isServed: false });
    await database.read("update commands set state = 'done'");
    expect((await waiting()).since).toBeUndefined();
    const [seen] = (await person.team.activity.workers()).workers;
    expect(seen).toMatchObject({ slots: 8, busy: 0, labels: ['gpu'], isLost: false, isDraining: false });
    expect(seen?.host).toBeUndefined();
    expect((await admin.team.activity.workers()).workers[0]?.host).toBe('machine');
    expect(bugs).toEqual([]);
  });
});

describe('the health of a team server', () => {
  it('is told to everybody, figures only to who has the token', async () => {
    const { url } = await setUp();
    const status = async (path: string, headers = {}) => (await fetch(`${url}${path}`, { headers })).status;
    expect(await status('/healthz')).toBe(200);
    expect(await status('/readyz')).toBe(200);
    expect(await status('/metrics')).toBe(404);
    expect(await status('/metrics', { authorization: 'Bearer other' })).toBe(404);
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    const text = await (await fetch(`${url}/metrics`, { headers })).text();
    expect(text).toMatch(/^crewagent_workers 0$/m);
    expect(text).toMatch(/^crewagent_queued_commands 0$/m);
    expect(text).toMatch(/^crewagent_process_memory_bytes \d+$/m);
    expect(text).toMatch(/^crewagent_event_loop_lag_seconds [\d.e-]+$/m);
  });

  it('is not ready while the database has another schema', async () => {
    const { url, database } = await setUp();
    await database.write('update crewagent.schema_version set version = 999');
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });
});
