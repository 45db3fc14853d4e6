/** Everything a process of the team edition shares: the store, and the files of projects. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { join } from 'node:path';
import type { Store } from '@crewagent/core/store';
import { createPostgresBlobs } from '../blobs/blobs.ts';
import type { Database } from '../database/database.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { createTeamSecrets } from '../secrets/team-secrets.ts';
import type { LeaseTiming } from '../works/leases.ts';
import { createTeamProjects, type TeamProjects } from '../workspaces/team-projects.ts';
import { createWorkspaces, type Workspace, type Workspaces } from '../workspaces/workspaces.ts';
import { openTeamStore } from './open-team-store.ts';
import { secretsOfCurrent } from './secrets-of-current.ts';

export interface TeamOptions {
  readonly database: Database;
  /** Real folder of this process. */
  readonly scratch: string;
  /** Who holds the leases of this process, for people. */
  readonly holder: string;
  /** Encrypt the secrets. */
  readonly keys: KeyRing;
  readonly leaseTiming?: Partial<LeaseTiming> | undefined;
}

export interface Team {
  readonly store: Store;
  readonly projects: TeamProjects;
  readonly workspaces: Workspaces;
  /** The workspace that the current call works in, which the store gives as the folder of its project. */
  readonly current: AsyncLocalStorage<Workspace>;
}

export function openTeam({ database, scratch, holder, keys, leaseTiming }: TeamOptions): Team {
  const current = new AsyncLocalStorage<Workspace>();
  const blobs = createPostgresBlobs(database);
  const workspaces = createWorkspaces({ database, blobs, scratch: join(scratch, 'workspaces') });
  const projects = createTeamProjects({
    database,
    async pathOf(projectId) {
      const workspace = current.getStore();
      return workspace?.projectId === projectId ? workspace.folder : workspaces.readHead(projectId);
    },
  });
  const secrets = secretsOfCurrent(
    createTeamSecrets({ database, keys }),
    () => current.getStore()?.projectId,
  );
  const store = openTeamStore({ database, blobs, scratch, holder, leaseTiming, secrets, projects });
  return { store, projects, workspaces, current };
}
