/** Works in PostgreSQL for tests: adapters of several processes on one database. */

import type { WorkStore } from '@crewagent/core/store';
import { SAMPLE_PROJECT_ID } from '../../../core/src/testing/sample-record.ts';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { createPostgresBlobs } from '../blobs/blobs.ts';
import type { Database } from '../database/database.ts';
import type { LeaseTiming } from '../works/leases.ts';
import { createPostgresWorks } from '../works/postgres-works.ts';
import { testDatabase } from './team-rig.ts';

export const OTHER_PROJECT = SAMPLE_PROJECT_ID.replace(/aa$/, 'bb');

/** With the projects that the samples name. */
export async function databaseWithProjects(): Promise<Database> {
  const database = await testDatabase();
  for (const projectId of [SAMPLE_PROJECT_ID, OTHER_PROJECT])
    await database.write("insert into projects (project_id, document, source) values ($1, '{}', '{}')", [
      projectId,
    ]);
  return database;
}

/** The adapter of one process. */
export async function openTestWorks(
  database: Database,
  leaseTiming: Partial<LeaseTiming> = {},
): Promise<WorkStore> {
  const blobs = createPostgresBlobs(database);
  return createPostgresWorks({ database, blobs, scratch: await tempFolder(), holder: 'test', leaseTiming });
}
