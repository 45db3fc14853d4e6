/**
 * A server of a team: the same application on the team's store. It holds nothing of its own, so that any number of them answer behind one
 * address; Works are executed by workers.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createRuntime } from '@crewagent/core';
import type { WorkAddress } from '@crewagent/core/store';
import {
  type AppOptions,
  createApp,
  createHttpServer,
  createOwnHosts,
  createServerParts,
  createStaticFiles,
  toUrl,
} from '@crewagent/server/team';
import { openDatabase } from '../database/database.ts';
import { requireMigrated } from '../database/migrate.ts';
import { openAdvanceQueue } from '../queue/advance-queue.ts';
import { createClaims } from '../queue/claims.ts';
import { createRemoteWorks } from '../queue/remote-works.ts';
import { useTree } from '../queue/use-tree.ts';
import { openTeam, type TeamOptions } from '../store/open-team.ts';
import type { Workspace } from '../workspaces/workspaces.ts';

export interface TeamServerOptions extends Pick<TeamOptions, 'scratch' | 'projects'> {
  readonly databaseUrl: string;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** Environment variables with model names. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly webRoot?: string | undefined;
  readonly examplesRoot?: string | undefined;
  readonly access: AppOptions['access'];
  onBug(id: string, error: unknown): void;
  onWarning?(message: string): void;
}

export interface TeamServer {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startTeamServer(options: TeamServerOptions): Promise<TeamServer> {
  const { databaseUrl, host = '127.0.0.1', port = 0, env, onBug, onWarning = () => undefined } = options;
  const serverId = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const database = openDatabase(databaseUrl, { connections: 20 });
  await requireMigrated(database);
  const current = new AsyncLocalStorage<Workspace>();
  const scratch = join(options.scratch, serverId);
  const { store, workspaces } = await openTeam({ ...options, database, scratch, current, holder: serverId });
  const runtime = createRuntime({
    storeRoot: join(scratch, 'store'),
    store,
    env,
    onBug,
    onWarning,
    areContinuedElsewhere: true,
  });
  const queue = await openAdvanceQueue(database);
  const claims = createClaims(database, serverId);
  const parts = createServerParts({
    runtime,
    env,
    examplesRoot: options.examplesRoot,
    hosts: createRemoteWorks({ database, queue, runtime, person: () => undefined }),
    withFiles: (address: WorkAddress, use) =>
      useTree(address, { database, claims, queue, workspaces, current }, use),
    onBug,
    onWarning,
  });
  const server = createHttpServer();
  const bound = await server.bind({ host, port });
  server.answer(
    createApp({
      parts,
      access: options.access,
      hosts: createOwnHosts(host, bound),
      pages: createStaticFiles(options.webRoot),
    }),
    parts,
  );
  return {
    url: toUrl(host, bound),
    async stop() {
      await server.stop(async () => {
        await parts.close();
        await runtime.close();
      });
      await queue.close();
      await database.close();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}
