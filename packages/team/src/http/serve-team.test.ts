import { readdir } from 'node:fs/promises';
import { createApiClient } from '@crewagent/protocol/api/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { createTokenAccess } from '../../../server/src/security/access.ts';
import { ANSWERS, prepare, TOKEN, until } from '../../../server/src/testing/server-rig.ts';
import { migrateQueue } from '../queue/advance-queue.ts';
import { folderProjects } from '../testing/folder-projects.ts';
import { testDatabase } from '../testing/team-rig.ts';
import { spawnWorker } from '../testing/worker-process.ts';
import { startTeamServer } from './serve-team.ts';

/** Two servers of one team, and a worker. */
async function setUp() {
  const database = await testDatabase();
  await migrateQueue(database);
  const bugs: unknown[] = [];
  const serve = async () => {
    const server = await startTeamServer({
      databaseUrl: database.url,
      scratch: await tempFolder(),
      projects: folderProjects,
      env: {},
      access: createTokenAccess(TOKEN),
      onBug: (_, error) => void bugs.push(error),
    });
    onTestFinished(() => server.stop());
    return createApiClient({ baseUrl: server.url, token: TOKEN });
  };
  await spawnWorker(database.url);
  return { database, one: await serve(), other: await serve(), project: await tempFolder(), bugs };
}

describe('Two servers of a team', () => {
  it('show and drive the same Work, which a worker executes', async () => {
    const { one, other, project, bugs } = await setUp();
    const ready = await prepare({ client: one, project });
    const { workId } = await one.works.create({ body: { ...ready, kind: 'run', model: 'rehearsal' } });
    const stream = other.works.events({ workId });
    const seen = await until(stream, (message) => JSON.stringify(message).includes('question'));
    expect(seen.length).toBeGreaterThan(0);
    const { view } = await other.works.show({ workId });
    expect(view.pending?.kind).toBe('question');
    await other.works.answer({ workId, body: { callId: view.pending?.callId ?? '', answers: ANSWERS } });
    await vi.waitFor(
      async () => {
        const { works } = await one.works.list({});
        expect(works[0]?.phase).toBe('Completed');
      },
      { timeout: 30_000 },
    );
    const files = async () =>
      (await readdir(project, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    expect(await files()).not.toEqual([]);
    await one.works.undo({ workId, body: { all: true } });
    expect(await files()).toEqual([]);
    expect(bugs).toEqual([]);
  });
});
