import { AsyncLocalStorage } from 'node:async_hooks';
import { createRuntime } from '@crewagent/core';
import { expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { HELLO_BRANCH } from '../../../server/src/testing/server-rig.ts';
import { openTeam } from '../store/open-team.ts';
import { folderProjects } from '../testing/folder-projects.ts';
import { testDatabase } from '../testing/team-rig.ts';
import { migrateQueue, openAdvanceQueue } from './advance-queue.ts';
import { createRemoteWorks } from './remote-works.ts';
import { startWorker } from './worker.ts';

it('a Work that one process creates is executed by a worker and answered through the database', async () => {
  const database = await testDatabase();
  await migrateQueue(database);
  const bugs: unknown[] = [];
  const onBug = (_: string, error: unknown): void => void bugs.push(error);
  const project = await tempFolder();
  const scratch = await tempFolder();
  const { store } = await openTeam({
    database,
    scratch,
    holder: 'server',
    current: new AsyncLocalStorage(),
    projects: folderProjects,
  });
  const runtime = createRuntime({ storeRoot: scratch, store, onBug, areContinuedElsewhere: true });
  const queue = await openAdvanceQueue(database);
  onTestFinished(() => queue.close());
  const hosts = createRemoteWorks({ database, queue, runtime, person: () => undefined });
  onTestFinished(() => hosts.close());
  const worker = await startWorker({
    databaseUrl: database.url,
    scratch: await tempFolder(),
    projects: folderProjects,
    env: {},
    onBug,
  });
  onTestFinished(() => worker.stop());

  const work = await hosts.open({
    create: { package: HELLO_BRANCH, projectPath: project, model: { model: 'rehearsal' } },
  });
  const stop = await work.start(undefined);
  expect(bugs).toEqual([]);
  console.log(stop);
});
