/** A server without HTTP, a project, a chain of steps, and a model that any worker may ask. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createRuntime } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import { onTestFinished } from 'vitest';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { openAdvanceQueue } from '../queue/advance-queue.ts';
import { createRemoteWorks, type Sender } from '../queue/remote-works.ts';
import { openTeam } from '../store/open-team.ts';
import { type ChainModel, type ChainModelOptions, chainPackage, startChainModel } from './chain-package.ts';
import { testDatabase } from './team-rig.ts';
import { TEST_KEYS } from './test-keys.ts';

export const STEPS = 6;

interface ModelChoice {
  readonly model: string;
  readonly baseUrl?: string;
}

export async function startChainTeam(options: ChainModelOptions = {}, person?: Sender) {
  const database = await testDatabase();
  const model: ChainModel = await startChainModel(options);
  onTestFinished(() => model.close());
  const [pkg, scratch] = [await tempFolder(), await tempFolder()];
  await writeTree(pkg, chainPackage(STEPS));
  const { store, projects, workspaces } = openTeam({ database, scratch, holder: 'server', keys: TEST_KEYS });
  onTestFinished(() => workspaces.close());
  const now = () => new Date();
  const { projectId } = await projects.create({ name: 'Project', source: { kind: 'upload' }, now });
  const runtime = createRuntime({ storeRoot: scratch, store, areContinuedElsewhere: true });
  const queue = await openAdvanceQueue(database);
  onTestFinished(() => queue.close());
  const hosts = createRemoteWorks({ database, queue, runtime, person: () => person });
  onTestFinished(() => hosts.close());
  const create = (labels?: readonly string[], choice: ModelChoice = { model: 'm', baseUrl: model.url }) =>
    hosts.open({
      labels,
      create: {
        package: pkg,
        projectPath: projects.addressOf?.(projectId) ?? '',
        model: choice,
        approval: 'autopilot',
      },
    });
  const eventsOf = async (workId: string): Promise<RunEvent[]> => {
    const events: RunEvent[] = [];
    await store.works.readLog(await store.works.find(workId), (event) => events.push(event));
    return events;
  };
  const written = async () => (await readdir(join(await workspaces.readHead(projectId), 'out'))).sort();
  return { database, store, model, projectId, written, create, eventsOf };
}
