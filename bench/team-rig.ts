/** A team on this machine for benches: a PostgreSQL of its own, a project, and programs of the team edition as processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRuntime, importPackage } from '@crewagent/core';
import { VERSION } from '@crewagent/protocol/version';
import { openDatabase } from '../packages/team/src/database/database.ts';
import { initTeam } from '../packages/team/src/init-team.ts';
import { startLocalPostgres } from '../packages/team/src/local-postgres.ts';
import { openAdvanceQueue } from '../packages/team/src/queue/advance-queue.ts';
import { createRemoteWorks } from '../packages/team/src/queue/remote-works.ts';
import { parseKeys } from '../packages/team/src/secrets/key-ring.ts';
import { openTeam } from '../packages/team/src/store/open-team.ts';
import { CLI, PACKAGE, readTreeCpuMs } from './load.ts';

export type Team = Awaited<ReturnType<typeof openBenchTeam>>;

export interface Program {
  readonly process: ChildProcess;
  readonly said: string;
  stop(): Promise<void>;
}

export async function openBenchTeam(folder: string, modelUrl: string) {
  const postgres = await startLocalPostgres({ folder: join(folder, 'postgres') });
  await initTeam(postgres.url, {});
  const database = openDatabase(postgres.url, { connections: 20 });
  const key = randomBytes(32).toString('base64');
  const scratch = join(folder, 'scratch');
  const { store, projects, workspaces } = openTeam({
    database,
    scratch,
    holder: 'bench',
    keys: parseKeys(key),
  });
  const now = () => new Date();
  const { projectId } = await projects.create({ name: 'Project', source: { kind: 'upload' }, now });
  await workspaces.edit(projectId, 'bench', async (copy) => {
    for (let index = 0; index < 10; index++)
      writeFileSync(join(copy, `file-${index}.txt`), `Line of file ${index}.\n`.repeat(50));
  });
  const runtime = createRuntime({ storeRoot: scratch, store, areContinuedElsewhere: true });
  const installed = await importPackage(PACKAGE, store, {
    runtimeVersion: VERSION,
    knownServers: new Set(),
  });
  const queue = await openAdvanceQueue(database);
  const hosts = createRemoteWorks({ database, queue, runtime, person: () => undefined });
  const env = {
    PATH: process.env.PATH,
    CREWAGENT_HOME: join(folder, 'team-home'),
    CREWAGENT_DATABASE_URL: postgres.url,
    CREWAGENT_SECRET_KEY: key,
    CREWAGENT_SCRATCH: join(folder, 'worker-scratch'),
  };
  return {
    database,
    /** Processor time of the server, of all its processes; those of ended connections are counted too. */
    databaseCpuMs: () => readTreeCpuMs(postgres.process.pid),
    start: (...args: string[]): Promise<Program> => startProgram(args, env),
    /** Stored, with an advance in the queue. */
    async create(): Promise<string> {
      const work = await hosts.open({
        create: {
          package: installed.package.hash,
          projectPath: projects.addressOf?.(projectId) ?? '',
          model: { model: 'm', baseUrl: modelUrl },
        },
      });
      void work.start(undefined, { onAccepted: () => undefined }).catch(() => undefined);
      return work.record.workId;
    },
    async close(): Promise<void> {
      await hosts.close();
      await queue.close();
      await database.close();
      await postgres.stop();
    },
  };
}

async function startProgram(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Program> {
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'pipe', 'inherit'], env });
  const said = await Promise.race([
    once(child.stdout, 'data').then(([chunk]: Buffer[]) => String(chunk)),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${args[0]} ended with ${code}`))),
  ]);
  child.stdout.resume();
  return {
    process: child,
    said,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
