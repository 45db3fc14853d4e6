import { randomBytes } from 'node:crypto';
import { sha256Of } from '@crewagent/core/store';
import { expect, it } from 'vitest';
import { testDatabase } from '../testing/team-rig.ts';
import { createPostgresBlobs } from './blobs.ts';

const named = (...contents: Buffer[]) => new Map(contents.map((content) => [sha256Of(content), content]));

it('stores contents of any size, compressed if that pays, and returns them', async () => {
  const database = await testDatabase();
  const blobs = createPostgresBlobs(database, { rowBytes: 10_000 });
  const contents = [
    Buffer.alloc(0),
    Buffer.from('short'),
    Buffer.from('text '.repeat(1_000)),
    randomBytes(9_000),
    Buffer.from('many chunks '.repeat(10_000)),
    randomBytes(30_000),
    randomBytes(10_001),
  ];
  await blobs.put(named(...contents));
  await blobs.put(named(...contents));
  // A process that has stored nothing yet.
  const other = createPostgresBlobs(database, { rowBytes: 10_000 });
  await other.put(named(...contents));
  for (const content of contents) expect((await other.get(sha256Of(content)))?.equals(content)).toBe(true);
  const rows = await database.read<{ bytes: string; encoding: string; chunks: number; stored: string }>(
    `select bytes, encoding, chunks, coalesce(octet_length(content),
       (select sum(octet_length(content)) from blob_chunks where blob_chunks.sha256 = blobs.sha256)) as stored
     from blobs order by bytes`,
  );
  expect(rows.map(({ bytes, encoding, chunks }) => [Number(bytes), encoding, chunks])).toEqual([
    [0, 'plain', 0],
    [5, 'plain', 0],
    [5_000, 'brotli', 0],
    [9_000, 'plain', 0],
    [10_001, 'plain', 2],
    [30_000, 'plain', 3],
    [120_000, 'brotli', 12],
  ]);
  expect(rows.map(({ stored }) => Number(stored) < 10_000 || stored)).toEqual([
    true,
    true,
    true,
    true,
    '10001',
    '30000',
    true,
  ]);
  expect(await blobs.get('0'.repeat(64))).toBeUndefined();
  expect(await blobs.findMissing([...named(...contents).keys(), 'x'])).toEqual(new Set(['x']));
});

it('does not return a content that was damaged', async () => {
  const database = await testDatabase();
  const blobs = createPostgresBlobs(database, { rowBytes: 1_000 });
  const [small, large, compressed] = [randomBytes(100), randomBytes(2_500), Buffer.from('a'.repeat(5_000))];
  await blobs.put(named(small, large, compressed));
  await database.write("update blobs set content = '\\x00' where chunks = 0");
  await database.write('delete from blob_chunks where position = 1');
  for (const content of [small, large, compressed])
    await expect(blobs.get(sha256Of(content))).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
});

it('refuses a large content that changes while it is stored', async () => {
  const database = await testDatabase();
  const blobs = createPostgresBlobs(database, { rowBytes: 1_000 });
  const open = async function* () {
    yield randomBytes(1_500);
  };
  await expect(blobs.putLarge({ sha256: 'a'.repeat(64), bytes: 1_500 }, open)).rejects.toThrow('changed');
  expect(await database.read('select from blobs')).toEqual([]);
  expect(await database.read('select from blob_chunks')).toEqual([]);
});

it('many processes store the same contents at once', async () => {
  const database = await testDatabase();
  const contents = Array.from({ length: 20 }, () => randomBytes(3_000));
  await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const blobs = createPostgresBlobs(database, { rowBytes: 2_000 + index * 200 });
      await blobs.put(named(...contents.toSorted(() => Math.random() - 0.5)));
    }),
  );
  const blobs = createPostgresBlobs(database);
  for (const content of contents) expect((await blobs.get(sha256Of(content)))?.equals(content)).toBe(true);
});
