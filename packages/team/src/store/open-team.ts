/** Everything a process of the team edition shares: the store, and the files of projects. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { delimiter, join } from 'node:path';
import type { Store } from '@crewagent/core/store';
import type { Blobs } from '../blobs/blobs.ts';
import { openBlobs } from '../blobs/open-blobs.ts';
import type { Database } from '../database/database.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { createTeamSecrets } from '../secrets/team-secrets.ts';
import type { LeaseTiming } from '../works/leases.ts';
import { createTeamProjects, type TeamProjects } from '../workspaces/team-projects.ts';
import {
  createWorkspaces,
  type ProjectActions,
  type ProjectFolder,
  type Workspaces,
} from '../workspaces/workspaces.ts';
import { openTeamStore } from './open-team-store.ts';
import { secretsOfCurrent } from './secrets-of-current.ts';

export interface TeamOptions {
  readonly database: Database;
  /** Real folder of this process. */
  readonly scratch: string;
  /** Real folder for contents, which all processes of this machine may share. */
  readonly cache?: string;
  /** Who holds the leases of this process, for people. */
  readonly holder: string;
  /** Encrypt the secrets. */
  readonly keys: KeyRing;
  readonly leaseTiming?: Partial<LeaseTiming> | undefined;
  /** Environment variables of the object store and of shared folders. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface Team {
  readonly store: Store;
  readonly projects: TeamProjects;
  readonly workspaces: Workspaces & ProjectActions;
  readonly blobs: Blobs;
  /** The copy that the current call works in, which the store gives as the folder of its project. */
  readonly current: AsyncLocalStorage<ProjectFolder>;
  /** Deletes contents that nothing names, once a day. */
  sweep(): Promise<void>;
}

export function openTeam(options: TeamOptions): Team {
  const { database, scratch, holder, keys, leaseTiming, env = {}, cache = join(scratch, 'blobs') } = options;
  const current = new AsyncLocalStorage<ProjectFolder>();
  const { blobs, sweep } = openBlobs({ database, cache, env });
  const workspaces = createWorkspaces({ database, blobs, scratch: join(scratch, 'workspaces') });
  const projects = createTeamProjects({
    database,
    sharedFolders: (env.CREWAGENT_SHARED_FOLDERS ?? '').split(delimiter).filter(Boolean),
    async pathOf(projectId) {
      const workspace = current.getStore();
      return workspace?.projectId === projectId ? workspace.folder : workspaces.readHead(projectId);
    },
  });
  const secrets = secretsOfCurrent(
    createTeamSecrets({ database, keys }),
    () => current.getStore()?.projectId,
  );
  const workNow = () => current.getStore();
  const store = openTeamStore({ database, blobs, scratch, holder, leaseTiming, secrets, projects, workNow });
  return { store, projects, workspaces, blobs, current, sweep };
}
