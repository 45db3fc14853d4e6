import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packFolder } from '@crewagent/core';
import { createApiClient } from '@crewagent/protocol/api/client';
import { VERSION } from '@crewagent/protocol/version';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { ANSWERS, HELLO_BRANCH, until } from '../../../server/src/testing/server-rig.ts';
import { createAccounts } from '../accounts/accounts.ts';
import { openTeam } from '../store/open-team.ts';
import { testDatabase } from '../testing/team-rig.ts';
import { TEST_KEYS } from '../testing/test-keys.ts';
import { spawnWorker } from '../testing/worker-process.ts';
import { startTeamServer } from './serve-team.ts';

/** Two servers of one team, a worker, a project without files, and somebody who may do everything. */
async function setUp() {
  const database = await testDatabase();
  const bugs: unknown[] = [];
  const accounts = createAccounts({ database });
  const { personId } = await accounts.people.create({ email: 'ada@example.com', name: 'Ada', isAdmin: true });
  const { token } = await accounts.tokens.create(personId, { name: 'test', scope: 'manage', days: 1 });
  const serve = async () => {
    const server = await startTeamServer({
      databaseUrl: database.url,
      scratch: await tempFolder(),
      keys: TEST_KEYS,
      env: {},
      onBug: (_, error) => void bugs.push(error),
    });
    onTestFinished(() => server.stop());
    return createApiClient({ baseUrl: server.url, token });
  };
  await spawnWorker(database.url);
  const team = openTeam({ database, scratch: await tempFolder(), holder: 'test', keys: TEST_KEYS });
  const source = { kind: 'upload' } as const;
  const { projectId } = await team.projects.create({ name: 'Project', source, now: () => new Date() });
  /** Files of the newest version. */
  const files = async (): Promise<string[]> => {
    const folder = await team.workspaces.readHead(projectId);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  };
  return { database, one: await serve(), other: await serve(), projectId, files, bugs };
}

async function archive(): Promise<Buffer> {
  const target = join(await tempFolder(), 'hello.bmad');
  await packFolder(HELLO_BRANCH, target, { runtimeVersion: VERSION, knownServers: new Set() });
  return readFile(target);
}

describe('Two servers of a team', () => {
  it('show and drive the same Work, which a worker executes', async () => {
    const { one, other, projectId, files, bugs } = await setUp();
    const { package: installed } = await one.packages.upload({ body: await archive() });
    const packageHash = installed.hash;
    const { workId } = await one.works.create({
      body: { projectId, packageHash, kind: 'run', model: 'rehearsal' },
    });
    const stream = other.works.events({ workId });
    const seen = await until(stream, (message) => JSON.stringify(message).includes('question'));
    expect(seen.length).toBeGreaterThan(0);
    const { view } = await other.works.show({ workId });
    expect(view.pending?.kind).toBe('question');
    await other.works.answer({ workId, body: { callId: view.pending?.callId ?? '', answers: ANSWERS } });
    await vi.waitFor(async () => expect((await one.works.list({})).works[0]?.phase).toBe('Completed'), {
      timeout: 30_000,
    });
    await vi.waitFor(async () => expect(await files()).not.toEqual([]), { timeout: 10_000 });
    await one.works.undo({ workId, body: { all: true } });
    expect(await files()).toEqual([]);
    expect(bugs).toEqual([]);
  });
});
