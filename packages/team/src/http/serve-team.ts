/**
 * A server of a team: the same application on the team's store. It holds nothing of its own, so that any number of them answer behind one
 * address; Works are executed by workers.
 */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createRuntime } from '@crewagent/core';
import type { WorkAddress } from '@crewagent/core/store';
import { PAGE_APPROVAL } from '@crewagent/protocol/tools';
import {
  createApp,
  createHttpServer,
  createOwnHosts,
  createServerParts,
  createStaticFiles,
  type Router,
  toUrl,
  type Viewer,
} from '@crewagent/server/team';
import { readTeamCosts } from '../costs/read-costs.ts';
import { openDatabase } from '../database/database.ts';
import { requireMigrated } from '../database/migrate.ts';
import { openAdvanceQueue } from '../queue/advance-queue.ts';
import { createClaims } from '../queue/claims.ts';
import { createRemoteWorks } from '../queue/remote-works.ts';
import { useTree } from '../queue/use-tree.ts';
import { toModelEnvironment } from '../secrets/model-environment.ts';
import { loadOidcProviders } from '../sign-in/load-providers.ts';
import { openTeam, type TeamOptions } from '../store/open-team.ts';
import { createTeamSearch } from '../store/team-search.ts';
import { createOwnContents } from '../transfers/own-contents.ts';
import { PROJECT_LIMITS } from '../workspaces/project-tree.ts';
import { createProjectVersions } from '../workspaces/project-versions.ts';
import { mountActivity } from './activity.ts';
import { mountHealth } from './health.ts';
import { mountInbox } from './inbox.ts';
import { mountQuotas } from './quotas.ts';
import { createTeamAccounts, type TeamAccounts, type TeamAccountsOptions } from './team-accounts.ts';
import { mountTeamProjects, type ProjectRoutes } from './team-projects.ts';
import { mountTransfers, type TransferRoutes } from './transfers.ts';

export interface TeamServerOptions extends Pick<TeamOptions, 'scratch' | 'keys'> {
  readonly databaseUrl: string;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** Environment variables with model names. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly webRoot?: string | undefined;
  readonly examplesRoot?: string | undefined;
  /** Address for people, such as `https://crew.example.com`; default: where it listens. */
  readonly publicUrl?: string | undefined;
  /** How many proxies of the team a request passes before it arrives here. */
  readonly proxies?: number | undefined;
  readonly passwordCost?: TeamAccountsOptions['passwordCost'];
  /** Default: that of the environment. */
  readonly oidcProviders?: TeamAccountsOptions['oidcProviders'];
  onBug(id: string, error: unknown): void;
  onWarning?(message: string): void;
}

/** How often what is over is removed. */
const SWEEP_EVERY_MS = 60 * 60_000;

export interface TeamServer {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startTeamServer(options: TeamServerOptions): Promise<TeamServer> {
  const { databaseUrl, host = '127.0.0.1', port = 0, env, onBug, onWarning = () => undefined } = options;
  const serverId = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const database = openDatabase(databaseUrl, { connections: 20 });
  await requireMigrated(database);
  const scratch = join(options.scratch, serverId);
  const { store, projects, workspaces, blobs, current, sweep } = openTeam({
    ...options,
    database,
    scratch,
    cache: join(options.scratch, 'blobs'),
    holder: serverId,
  });
  const runtime = createRuntime({
    storeRoot: join(scratch, 'store'),
    store,
    env: toModelEnvironment(env),
    onBug,
    onWarning,
    areContinuedElsewhere: true,
  });
  const queue = await openAdvanceQueue(database);
  const claims = createClaims(database, serverId);
  const ownContents = createOwnContents(database, blobs);
  const server = createHttpServer();
  const bound = await server.bind({ host, port });
  const url = options.publicUrl ?? toUrl(host, bound);
  const { origin, host: publicHost } = new URL(url);
  const oidcProviders = options.oidcProviders ?? loadOidcProviders(env);
  const people = createTeamAccounts({
    ...options,
    oidcProviders,
    database,
    publicUrl: origin,
    usualApproval: async () => (await runtime.settings()).tools.approval ?? PAGE_APPROVAL,
  });
  const personId = (): string | undefined => people.currentPerson()?.personId;
  const sweeping = setInterval(() => {
    void Promise.all([people.accounts.sweep(), sweep(), ownContents.sweep()]).catch((error: unknown) =>
      onBug('sweep', error),
    );
  }, SWEEP_EVERY_MS).unref();
  const parts = createServerParts({
    runtime,
    env: toModelEnvironment(env),
    examplesRoot: options.examplesRoot,
    search: createTeamSearch(database, store),
    costs: (viewer, query) => readTeamCosts(database, { ...query, only: costsOf(viewer, people) }),
    hosts: createRemoteWorks({ database, queue, runtime, person: people.currentPerson }),
    withFiles: (address: WorkAddress, use) =>
      useTree(address, { database, claims, queue, workspaces, current }, use),
    projectFolders: {
      refresh: async (projectId) => void (await workspaces.readHead(projectId)),
      edit: (projectId, use) =>
        workspaces.edit(projectId, personId() ?? '', (folder) => current.run({ projectId, folder }, use)),
    },
    onBug,
    onWarning,
  });
  const own = createOwnHosts(host, bound);
  server.answer(
    createApp({
      parts,
      access: people.access,
      publicOrigin: origin,
      hosts: { has: (wanted) => own.has(wanted) || wanted.toLowerCase() === publicHost.toLowerCase() },
      pages: createStaticFiles(options.webRoot),
      mountMore(router) {
        people.mount(router);
        mountTeam(router, {
          ...{ database, blobs, store, claims, queue, own: ownContents, scratch: join(scratch, 'transfers') },
          ...{ projects, actions: workspaces, people },
        });
        parts.onClose(mountHealth(router, { database, metricsToken: env.CREWAGENT_METRICS_TOKEN }));
      },
    }),
    parts,
  );
  return {
    url,
    async stop() {
      clearInterval(sweeping);
      await server.stop(async () => {
        await parts.close();
        await runtime.close();
      });
      await queue.close();
      await workspaces.close();
      await database.close();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

/** Of the projects of the person, and their own in others; a token may be for one project only. */
function costsOf(viewer: Viewer, { identities }: TeamAccounts) {
  const { id, projects } = viewer;
  const personId = identities.of(viewer)?.via === 'session' ? id : undefined;
  return projects && { projects: [...projects], personId };
}

interface TeamRoutes
  extends Pick<TransferRoutes, 'database' | 'blobs' | 'store' | 'claims' | 'queue' | 'own' | 'scratch'>,
    Pick<ProjectRoutes, 'projects' | 'actions'> {
  readonly people: TeamAccounts;
}

/** What only a team has, beside accounts. */
function mountTeam(router: Router, { projects, actions, people, ...parts }: TeamRoutes): void {
  const { accounts, identities, inbox } = people;
  mountTeamProjects(router, { projects, actions, accounts, identities });
  const versions = createProjectVersions(parts.database);
  mountTransfers(router, { ...parts, identities, versions, limits: PROJECT_LIMITS });
  mountInbox(router, { ...parts, inbox, identities });
  mountActivity(router, { database: parts.database, identities });
  mountQuotas(router, { database: parts.database, identities });
}
