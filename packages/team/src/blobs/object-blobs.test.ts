/** Large contents in an S3 server of its own, garbage, and the cache of a machine. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Of } from '@crewagent/core/store';
import S3rver from 's3rver';
import { expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { testDatabase } from '../testing/team-rig.ts';
import { openWorkspaceRig } from '../testing/workspace-rig.ts';
import { cacheBlobs, trim } from './blob-cache.ts';
import { createPostgresBlobs } from './blobs.ts';
import { collectGarbage } from './collect-garbage.ts';
import type { ObjectStore } from './object-store.ts';
import { openBlobs, readS3Settings } from './open-blobs.ts';
import { createS3Objects } from './s3-objects.ts';

const named = (...contents: Buffer[]) => new Map(contents.map((content) => [sha256Of(content), content]));

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
  return {
    endpoint: `http://localhost:${port}`,
    bucket: 'crew',
    region: 'us-east-1',
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
  };
}

it('large contents are in the object store, small ones in the database', async () => {
  const database = await testDatabase();
  const settings = await startS3();
  const blobs = createPostgresBlobs(database, { objects: createS3Objects(settings), rowBytes: 50_000 });
  const [small, text, noise] = [
    randomBytes(50_000),
    Buffer.from('text '.repeat(40_000)),
    randomBytes(120_000),
  ];
  await blobs.put(named(small, text, noise));
  for (const content of [small, text, noise])
    expect((await blobs.get(sha256Of(content)))?.equals(content)).toBe(true);
  expect(
    await database.read('select chunks, encoding, object is not null as outside from blobs order by bytes'),
  ).toEqual([
    { chunks: 0, encoding: 'plain', outside: false },
    { chunks: 3, encoding: 'plain', outside: true },
    { chunks: 4, encoding: 'brotli', outside: true },
  ]);
  expect(await database.read('select from blob_chunks')).toEqual([]);
  expect(await database.read('select from stray_objects')).toEqual([]);
});

it('an object store that refuses is reported, without its keys', async () => {
  const settings = { ...(await startS3()), accessKeyId: 'unknown', secretAccessKey: 'wr0ng' };
  const put = createS3Objects(settings).put('a/b', randomBytes(10));
  await expect(put).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
  await expect(put).rejects.not.toThrow(/wr0ng/);
  expect(await createS3Objects(await startS3()).get('a/b')).toBeUndefined();
});

it('an upload that was cut off leaves objects that are deleted later, and none that are used', async () => {
  const database = await testDatabase();
  const objects = createS3Objects(await startS3());
  const content = randomBytes(3_000);
  const cutOff: ObjectStore = {
    ...objects,
    async put(name, bytes) {
      if (name.endsWith('/2')) throw new Error('killed');
      await objects.put(name, bytes);
    },
  };
  const options = { rowBytes: 1_000 };
  await expect(
    createPostgresBlobs(database, { ...options, objects: cutOff }).put(named(content)),
  ).rejects.toThrow('killed');
  const [stray] = await database.read<{ object: string }>('select object from stray_objects');
  if (!stray) throw new Error('the upload has begun');
  const blobs = createPostgresBlobs(database, { ...options, objects });
  await blobs.put(named(content));
  await collectGarbage(database, { objects });
  expect(await objects.get(`${stray.object}/0`)).toBeDefined();
  await collectGarbage(database, { objects, graceHours: 0 });
  expect(await objects.get(`${stray.object}/0`)).toBeUndefined();
  expect(await database.read('select from stray_objects')).toEqual([]);
  expect(await blobs.get(sha256Of(content))).toBeUndefined();
});

it('deletes contents that nothing names, except those that were stored a short time ago', async () => {
  const rig = await openWorkspaceRig();
  const { database } = rig;
  const workspaces = await rig.openWorkspaces();
  const projectId = await rig.createProject();
  await workspaces.edit(projectId, 'ann', async (folder) => {
    writeFileSync(join(folder, 'a.md'), 'first\n');
  });
  await workspaces.edit(projectId, 'ann', async (folder) => {
    writeFileSync(join(folder, 'a.md'), 'second\n');
  });
  const workspace = await workspaces.checkOut(await rig.createWork(projectId));
  await rig.change(workspace, 'b.md', 'of the run\n');
  const [journal, state, unnamed, stored] = ['journal', 'state', 'unnamed', 'stored again'].map((text) =>
    Buffer.from(text),
  );
  if (!journal || !state || !unnamed || !stored) throw new Error('there are four');
  const large = randomBytes(9_000);
  await createPostgresBlobs(database, { rowBytes: 4_000 }).put(named(large));
  await rig.blobs.put(named(journal, state, unnamed, stored));
  await database.write('insert into work_journal values ($1, 1, $2)', [
    workspace.rootId,
    JSON.stringify({ before: null, after: { sha256: sha256Of(journal), bytes: 1, kept: true } }),
  ]);
  await database.write("insert into state_files (work_id, path, sha256) values ($1, 'x', $2)", [
    workspace.rootId,
    sha256Of(state),
  ]);
  expect(await collectGarbage(database)).toBe(0);
  await database.write("update blobs set used_at = now() - interval '25 hours'");
  // By a process that does not remember it.
  await createPostgresBlobs(database).put(named(stored));
  expect(await collectGarbage(database)).toBe(2);
  const texts = ['first\n', 'second\n', 'of the run\n', 'journal', 'state', 'stored again'];
  const left = await database.read<{ sha256: string }>('select sha256 from blobs');
  expect(new Set(left.map(({ sha256 }) => sha256))).toEqual(
    new Set(texts.map((text) => sha256Of(Buffer.from(text)))),
  );
  expect(await database.read('select from blob_chunks')).toEqual([]);
  await database.write('delete from works');
  expect(await collectGarbage(database)).toBe(3);
});

it('a content that is stored while garbage is collected stays', async () => {
  const database = await testDatabase();
  const contents = Array.from({ length: 300 }, () => randomBytes(20));
  await createPostgresBlobs(database).put(named(...contents));
  await database.write("update blobs set used_at = now() - interval '25 hours'");
  const [removed] = await Promise.all([
    collectGarbage(database),
    ...contents.map((content) => createPostgresBlobs(database).put(named(content))),
  ]);
  expect(removed).toBeLessThanOrEqual(300);
  expect(await createPostgresBlobs(database).findMissing([...named(...contents).keys()])).toEqual(new Set());
});

it('processes of a machine share a cache, which never returns a damaged content', async () => {
  const database = await testDatabase();
  const folder = await tempFolder();
  const blobs = createPostgresBlobs(database);
  const [first, second] = [cacheBlobs(blobs, { folder }), cacheBlobs(blobs, { folder })];
  const contents = [Buffer.from('one'), Buffer.from('two')];
  const names = [...named(...contents).keys()];
  await first.put(named(...contents));
  expect([...(await first.getSmall(names)).values()].map(String).sort()).toEqual(['one', 'two']);
  await database.write('delete from blobs');
  expect((await second.getSmall(names)).size).toBe(2);
  const [name = ''] = names;
  const file = join(folder, name.slice(0, 2), name.slice(2));
  await chmod(file, 0o600);
  writeFileSync(file, 'damaged');
  expect((await second.getSmall(names)).size).toBe(1);
  expect(() => readFileSync(file)).toThrow('ENOENT');
  await trim(folder, 0);
  expect(readdirSync(folder, { recursive: true }).filter((entry) => String(entry).length > 3)).toEqual([]);
});

it('the environment names the object store, and one process a day collects garbage', async () => {
  const database = await testDatabase();
  const { endpoint, bucket, accessKeyId, secretAccessKey } = await startS3();
  const env = {
    CREWAGENT_S3_ENDPOINT: endpoint,
    CREWAGENT_S3_BUCKET: bucket,
    CREWAGENT_S3_ACCESS_KEY_ID: accessKeyId,
    CREWAGENT_S3_SECRET_ACCESS_KEY: secretAccessKey,
  };
  const { blobs, sweep } = openBlobs({ database, env, cache: await tempFolder() });
  const content = randomBytes(5 * 1_048_576);
  await blobs.put(named(content));
  expect((await blobs.get(sha256Of(content)))?.equals(content)).toBe(true);
  expect(await database.read('select object is not null as outside from blobs')).toEqual([{ outside: true }]);
  await sweep();
  await database.write("update blobs set used_at = now() - interval '25 hours'");
  await sweep();
  expect(await database.read('select from blobs')).toHaveLength(1);
  await database.write(`update documents set value = to_json(now() - interval '24 hours')::text`);
  await sweep();
  expect(await database.read('select from blobs')).toEqual([]);
  for (const name of Object.keys(env).slice(1))
    expect(() => readS3Settings({ ...env, [name]: '' })).toThrow(name);
  expect(readS3Settings({})).toBeUndefined();
});
