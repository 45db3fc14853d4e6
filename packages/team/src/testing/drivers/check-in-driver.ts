/**
 * Checks a tree of Works out and in, and kills itself before a statement: `check-in-driver.js DATABASE_URL SCRATCH ROOT_ID STATEMENT`.
 */
import { createPostgresBlobs } from '../../blobs/blobs.ts';
import { openDatabase } from '../../database/database.ts';
import { createWorkspaces } from '../../workspaces/workspaces.ts';
import { countStatements } from '../counted-database.ts';

const [url = '', scratch = '', rootId = '', statement = ''] = process.argv.slice(2);
let left = Number(statement);
const database = countStatements(openDatabase(url), () => {
  if (--left === 0) process.kill(process.pid, 'SIGKILL');
});
const workspaces = createWorkspaces({ database, blobs: createPostgresBlobs(database), scratch });
const workspace = await workspaces.checkOut(rootId);
await workspace.checkIn({ rootId, epoch: '1' });
await database.close();
