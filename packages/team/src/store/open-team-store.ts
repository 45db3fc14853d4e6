/**
 * The store of a team: Works, packages, settings and secrets in PostgreSQL. Caches, and files that programs open, are in the `scratch`
 * folder of this process.
 */
import { join } from 'node:path';
import {
  createSettingsStore,
  openDiskStore,
  type ProjectStore,
  type Store,
  type StoredSecrets,
} from '@crewagent/core/store';
import type { Blobs } from '../blobs/blobs.ts';
import type { Database } from '../database/database.ts';
import type { LeaseTiming } from '../works/leases.ts';
import { createPostgresWorks } from '../works/postgres-works.ts';
import { createPostgresDocument } from './postgres-document.ts';
import { clearProject, forgetProject } from './remove-project.ts';
import { createTeamPackages } from './team-packages.ts';

export interface TeamStoreOptions {
  readonly database: Database;
  readonly blobs: Blobs;
  readonly scratch: string;
  /** Who holds the leases of this process, for people. */
  readonly holder: string;
  readonly projects: ProjectStore;
  readonly secrets: StoredSecrets;
  /** The piece of work that a call belongs to. */
  workNow(): object | undefined;
  readonly leaseTiming?: Partial<LeaseTiming> | undefined;
}

export function openTeamStore(options: TeamStoreOptions): Store {
  const { database, blobs, scratch, holder, projects, secrets, workNow, leaseTiming } = options;
  const local = openDiskStore(join(scratch, 'store'));
  const works = createPostgresWorks({
    database,
    blobs,
    scratch: join(scratch, 'works'),
    holder,
    leaseTiming,
  });
  return {
    ...local,
    requiresSandbox: true,
    projects,
    settings: createSettingsStore(createPostgresDocument(database, 'settings', workNow)),
    secrets,
    packages: {
      ...createTeamPackages({ database, blobs, local: local.packages }),
      sharing: createPostgresDocument(database, 'sharing'),
    },
    works,
    clearProject: (projectId) => clearProject(database, works, projectId),
    forgetProject: (projectId) => forgetProject(database, projectId),
    async probe() {
      await database.read('select 1');
      return { exists: true, hasKernelLocks: true };
    },
  };
}
