import { SAMPLE_PROJECT_ID } from '../../../core/src/testing/sample-record.ts';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { testWorkStore } from '../../../core/src/testing/work-store-contract.ts';
import { createPostgresBlobs } from '../blobs/blobs.ts';
import { testDatabase } from '../testing/team-rig.ts';
import { createPostgresWorks } from './postgres-works.ts';

testWorkStore('PostgreSQL', async () => {
  const database = await testDatabase();
  for (const projectId of [SAMPLE_PROJECT_ID, SAMPLE_PROJECT_ID.replace(/aa$/, 'bb')])
    await database.write("insert into projects (project_id, document, source) values ($1, '{}', '{}')", [
      projectId,
    ]);
  const blobs = createPostgresBlobs(database);
  return createPostgresWorks({ database, blobs, scratch: await tempFolder(), holder: 'test' });
});
