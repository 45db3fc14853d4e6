import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packFolder } from '@crewagent/core';
import { TEAM_ENDPOINTS } from '@crewagent/protocol/api/accounts';
import { createApiClient, createCalls } from '@crewagent/protocol/api/client';
import type { Role } from '@crewagent/protocol/roles';
import { VERSION } from '@crewagent/protocol/version';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { HELLO_BRANCH } from '../../../server/src/testing/server-rig.ts';
import { createAccounts } from '../accounts/accounts.ts';
import { openTeam } from '../store/open-team.ts';
import { testDatabase } from '../testing/team-rig.ts';
import { TEST_KEYS } from '../testing/test-keys.ts';
import { spawnWorker } from '../testing/worker-process.ts';
import { startTeamServer } from './serve-team.ts';

async function setUp() {
  const database = await testDatabase();
  const bugs: unknown[] = [];
  const { url, stop } = await startTeamServer({
    databaseUrl: database.url,
    scratch: await tempFolder(),
    keys: TEST_KEYS,
    env: {},
    onBug: (_, error) => void bugs.push(error),
  });
  onTestFinished(stop);
  await spawnWorker(database.url);
  const accounts = createAccounts({ database });
  const team = openTeam({ database, scratch: await tempFolder(), holder: 'test', keys: TEST_KEYS });
  const source = { kind: 'upload' } as const;
  const { projectId } = await team.projects.create({ name: 'Plans', source, now: () => new Date() });
  const add = async (name: string, role: Role) => {
    const { personId } = await accounts.people.create({ email: `${name}@example.com`, name });
    await accounts.roles.set(projectId, personId, role);
    const { token } = await accounts.tokens.create(personId, { name: 'test', scope: 'manage', days: 1 });
    const options = { baseUrl: url, token };
    return { personId, api: createApiClient(options), team: createCalls(TEAM_ENDPOINTS, options) };
  };
  return { projectId, add, bugs };
}

async function archive(): Promise<Buffer> {
  const target = join(await tempFolder(), 'hello.bmad');
  await packFolder(HELLO_BRANCH, target, { runtimeVersion: VERSION, knownServers: new Set() });
  return readFile(target);
}

describe('the inbox of a person', () => {
  it('has what waits for them, what was handed over, and what mentions them, until they act', async () => {
    const { projectId, add, bugs } = await setUp();
    const [ada, ben, cy] = [await add('Ada', 'manage'), await add('Ben', 'run'), await add('Cy', 'view')];
    const inboxOf = async ({ team }: typeof ada) =>
      (await team.inbox.list()).works.map(({ reason, by, person }) => [reason, by, person?.name]);
    const { package: installed } = await ada.api.packages.upload({ body: await archive() });
    const { workId } = await ada.api.works.create({
      body: { projectId, packageHash: installed.hash, kind: 'run', model: 'rehearsal' },
    });
    await vi.waitFor(async () => expect(await inboxOf(ada)).toEqual([['waiting', undefined, 'Ada']]), {
      timeout: 30_000,
    });
    const handOver = (personId: string) => ada.team.inbox.handOver({ workId, body: { personId } });
    await expect(handOver(cy.personId)).rejects.toMatchObject({ code: 'USAGE' });
    await expect(cy.team.inbox.handOver({ workId, body: { personId: ben.personId } })).rejects.toMatchObject({
      code: 'ACCESS_DENIED',
    });
    await handOver(ben.personId);
    expect(await inboxOf(ben)).toEqual([['received', 'Ada', 'Ben']]);
    expect(await inboxOf(ada)).toEqual([['given', 'Ben', 'Ben']]);
    const { events } = await ada.api.works.log({ workId, query: {} });
    expect(events.at(-1)).toMatchObject({ type: 'work.handed', by: 'Ada', to: 'Ben' });
    await ada.team.inbox.leave({ workId });
    expect(await inboxOf(ada)).toEqual([]);

    await ben.api.works.input({ workId, body: { text: '@Cy and @ada, is Nova right?' } });
    expect(await inboxOf(cy)).toMatchObject([['mentioned', 'Ben', 'Ben']]);
    expect(await inboxOf(ada)).toMatchObject([['mentioned', 'Ben', 'Ben']]);
    expect((await inboxOf(ben)).filter(([reason]) => reason === 'received')).toEqual([]);

    await cy.team.inbox.leave({ workId });
    const body = { projectId, kind: 'chat', model: 'rehearsal', input: 'Ask @Cy first' } as const;
    const started = await ben.api.works.create({ body });
    expect((await cy.team.inbox.list()).works).toMatchObject([
      { workId: started.workId, reason: 'mentioned', by: 'Ben' },
    ]);
    expect(bugs).toEqual([]);
  });

  it('lacks what waits for a worker: that is under way, whoever looks', async () => {
    const { projectId, add, bugs } = await setUp();
    const ada = await add('Ada', 'manage');
    const { package: installed } = await ada.api.packages.upload({ body: await archive() });
    const run = { projectId, packageHash: installed.hash, kind: 'run', model: 'rehearsal' } as const;
    const { workId } = await ada.api.works.create({ body: { ...run, labels: ['gpu'] } });
    const other = await ada.api.works.create({ body: run });
    await vi.waitFor(
      async () =>
        expect((await ada.team.inbox.list()).works).toMatchObject([
          { workId: other.workId, phase: 'WaitingUser' },
        ]),
      { timeout: 30_000 },
    );
    const { works } = await ada.team.activity.works();
    expect(new Map(works.map((work) => [work.workId, work.phase]))).toEqual(
      new Map([
        [workId, 'Running'],
        [other.workId, 'WaitingUser'],
      ]),
    );
    expect(bugs).toEqual([]);
  });
});
