/** Everything a process of the team edition shares: the store, and the files of projects. */
import type { AsyncLocalStorage } from 'node:async_hooks';
import type { ProjectStore, Store } from '@crewagent/core/store';
import { createPostgresBlobs } from '../blobs/blobs.ts';
import type { Database } from '../database/database.ts';
import type { LeaseTiming } from '../works/leases.ts';
import type { Workspace, Workspaces } from '../workspaces/workspaces.ts';
import { openTeamStore } from './open-team-store.ts';
import { createPostgresDocument } from './postgres-document.ts';

export interface TeamOptions {
  readonly database: Database;
  readonly scratch: string;
  readonly holder: string;
  /** The workspace of the current advance. */
  readonly current: AsyncLocalStorage<Workspace>;
  readonly leaseTiming?: Partial<LeaseTiming> | undefined;
  /** How the files of projects are found; replaced when workspaces are complete. */
  readonly projects: (database: Database) => { projects: ProjectStore; workspaces: Workspaces };
}

export interface Team {
  readonly store: Store;
  readonly workspaces: Workspaces;
}

export async function openTeam({
  database,
  scratch,
  holder,
  leaseTiming,
  projects,
}: TeamOptions): Promise<Team> {
  const blobs = createPostgresBlobs(database);
  const found = projects(database);
  const secrets = createPostgresDocument(database, 'secrets');
  const store = openTeamStore({
    database,
    blobs,
    scratch,
    holder,
    leaseTiming,
    secrets,
    projects: found.projects,
  });
  return { store, workspaces: found.workspaces };
}
