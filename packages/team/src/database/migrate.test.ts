import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { driverPath } from '../../../core/src/testing/driver-path.ts';
import { sampleDraft } from '../../../core/src/testing/sample-record.ts';
import { testDatabaseUrl } from '../testing/team-rig.ts';
import { databaseWithProjects, openTestWorks } from '../testing/test-works.ts';
import { openDatabase } from './database.ts';
import { migrate, requireMigrated } from './migrate.ts';

it('five processes that set up one database at once all succeed', async () => {
  const url = await testDatabaseUrl();
  const init = () => promisify(execFile)(process.execPath, [driverPath('init-driver'), url]);
  await Promise.all(Array.from({ length: 5 }, init));
  const database = openDatabase(url);
  onTestFinished(() => database.close());
  await requireMigrated(database);
  expect(await database.read('select from crewagent.schema_version')).toHaveLength(1);
});

it('a database of a newer version is refused, and not changed', async () => {
  const database = await databaseWithProjects();
  await database.write('update schema_version set version = 99');
  await expect(requireMigrated(database)).rejects.toMatchObject({ code: 'USAGE' });
  await expect(migrate(database)).rejects.toMatchObject({ code: 'USAGE' });
  expect(await database.read('select version from schema_version')).toEqual([{ version: 99 }]);
});

it('Works of a backup from a server with more transactions are new once', async () => {
  const database = await databaseWithProjects();
  const works = await openTestWorks(database);
  await works.create(sampleDraft(), { now: () => new Date() });
  await database.write("update works set changed = '999999999999'");
  const read = async (): Promise<number> => {
    const watch = works.watch();
    await watch.poll();
    const [row] = await database.read<{ count: string }>(
      'select count(*) from works where changed > pg_snapshot_xmin(pg_current_snapshot())',
    );
    return Number(row?.count);
  };
  expect(await read()).toBe(1);
  await migrate(database);
  // The oldest transaction may be one of another database of this server.
  await expect.poll(read).toBe(0);
});
