import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CrewError } from '@crewagent/core';
import { sha256Of, toAddress } from '@crewagent/core/store';
import type { RunEvent } from '@crewagent/protocol/events';
import S3rver from 's3rver';
import { expect, it, onTestFinished } from 'vitest';
import { SAMPLE_PROJECT_ID, sampleDraft } from '../../core/src/testing/sample-record.ts';
import { tempFolder } from '../../core/src/testing/temp-folder.ts';
import { createPostgresBlobs } from './blobs/blobs.ts';
import { createS3Objects } from './blobs/s3-objects.ts';
import { type Database, openDatabase } from './database/database.ts';
import { migrate } from './database/migrate.ts';
import { type LocalPostgres, startLocalPostgres } from './local-postgres.ts';
import { migrateQueue } from './queue/advance-queue.ts';
import { openTestWorks } from './testing/test-works.ts';
import { openWorkspaceRig } from './testing/workspace-rig.ts';

const now = (): Date => new Date();
const run = promisify(execFile);

/** PostgreSQL of this machine, whose `pg_dump` fits; undefined if it is not installed. */
async function startInstalled(): Promise<LocalPostgres | undefined> {
  const parent = await tempFolder();
  chmodSync(parent, 0o711);
  try {
    const options = { folder: join(parent, 'database'), isThrowaway: true, isInstalled: true };
    const server = await startLocalPostgres(options);
    onTestFinished(() => server.stop());
    return server;
  } catch (error) {
    if (error instanceof CrewError) return undefined;
    throw error;
  }
}

async function open(url: string): Promise<Database> {
  const database = openDatabase(url);
  onTestFinished(() => database.close());
  await migrate(database);
  await migrateQueue(database);
  return database;
}

async function startS3() {
  const server = new S3rver({
    address: 'localhost',
    port: 0,
    silent: true,
    directory: await tempFolder(),
    configureBuckets: [{ name: 'crew' }],
  });
  const { port } = await server.run();
  onTestFinished(() => server.close());
  const [region, key] = ['us-east-1', 'S3RVER'];
  const endpoint = `http://localhost:${port}`;
  return createS3Objects({ endpoint, bucket: 'crew', region, accessKeyId: key, secretAccessKey: key });
}

/** Works, their logs, the files of a project and a large content, as one server of a team sees them. */
async function readAll(
  database: Database,
  projectId: string,
  options: Parameters<typeof createPostgresBlobs>[1],
) {
  const works = await openTestWorks(database);
  const listed = await works.list();
  const events: RunEvent[] = [];
  for (const work of listed) await works.readLog(work, (event) => events.push(event));
  const workspaces = await (await openWorkspaceRig(database)).openWorkspaces();
  const file = await readFile(join(await workspaces.readHead(projectId), 'notes.md'), 'utf8');
  const [large] = await database.read<{ sha256: string }>(
    'select sha256 from blobs where object is not null',
  );
  const content = await createPostgresBlobs(database, options).get(large?.sha256 ?? '');
  const seen = await works.watch().poll();
  return { listed, events, file, large: content && sha256Of(content), seen: seen.changed.length };
}

it('a backup of the database, with the objects of the store, gives the same Works, files and logs', async ({
  skip,
}) => {
  const server = await startInstalled();
  if (!server) return skip('PostgreSQL is not installed on this machine');
  const database = await open(server.url);
  await database.write("insert into projects (project_id, document, source) values ($1, '{}', '{}')", [
    SAMPLE_PROJECT_ID,
  ]);
  const options = { objects: await startS3(), rowBytes: 10_000 };
  const works = await openTestWorks(database);
  const address = toAddress(await works.create(sampleDraft(), { now }));
  const lease = await works.lease(address);
  const log = await works.openLog(address, { now });
  log.append({ type: 'warning', message: 'before the backup' });
  await log.sync();
  await lease.release();
  const rig = await openWorkspaceRig(database);
  const projectId = await rig.createProject();
  const workspaces = await rig.openWorkspaces();
  await workspaces.edit(projectId, 'ada', (folder) => writeFile(join(folder, 'notes.md'), 'Notes.\n'));
  const large = randomBytes(50_000);
  await createPostgresBlobs(database, options).put(new Map([[sha256Of(large), large]]));

  const before = await readAll(database, projectId, options);
  const file = join(await tempFolder(), 'team.dump');
  await run('pg_dump', ['--format=custom', '--file', file, database.url]);
  await database.write('create database restored');
  const restoredUrl = server.url.replace(/postgres$/, 'restored');
  await run('pg_restore', ['--no-owner', '--exit-on-error', '--dbname', restoredUrl, file]);
  const restored = await open(restoredUrl);
  expect(before.events.length).toBeGreaterThan(0);
  expect(before.large).toBe(sha256Of(large));
  expect(await readAll(restored, projectId, options)).toEqual(before);
  // It goes on there.
  const again = await openTestWorks(restored);
  const taken = await again.lease(address);
  const next = await again.openLog(address, { now });
  next.append({ type: 'warning', message: 'after the backup' });
  await next.sync();
  await taken.release();
});
