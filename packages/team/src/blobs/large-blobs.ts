/**
 * Contents in chunks: rows of the database, or objects. Each upload has object names of its own, so that deleting the objects of one never
 * harms another; a prefix that has no blob is a stray until its blob is committed.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { Database, Queries } from '../database/database.ts';
import { type BlobName, type BlobRow, damaged, IS_STALE } from './blob-rows.ts';
import { decode, type Encoding, encode, encodeAs } from './encoding.ts';
import type { ObjectStore } from './object-store.ts';

export function createLargeBlobs(database: Database, objects: ObjectStore | undefined, chunkBytes: number) {
  const putRows = (blob: BlobName, open: () => AsyncIterable<Uint8Array>): Promise<void> =>
    database.transaction(async (queries) => {
      const chunks = countChunks(blob, chunkBytes);
      // Locks the name: another process that stores the same content waits for this one.
      if (!(await insertBlob(queries, blob, chunks, null))) return;
      const encoding = await eachChunk(blob, open, chunkBytes, async (position, bytes) => {
        await queries.write('insert into blob_chunks (sha256, position, content) values ($1, $2, $3)', [
          blob.sha256,
          position,
          Buffer.from(bytes),
        ]);
      });
      await queries.write('update blobs set encoding = $2 where sha256 = $1', [blob.sha256, encoding]);
    });

  const putObjects = async (
    store: ObjectStore,
    blob: BlobName,
    open: () => AsyncIterable<Uint8Array>,
  ): Promise<void> => {
    const object = `${blob.sha256.slice(0, 2)}/${blob.sha256}/${randomUUID()}`;
    const chunks = countChunks(blob, chunkBytes);
    await database.read('insert into stray_objects (object, chunks) values ($1, $2) on conflict do nothing', [
      object,
      chunks,
    ]);
    const encoding = await eachChunk(blob, open, chunkBytes, (position, bytes) =>
      store.put(chunkName(object, position), bytes),
    );
    await database.transaction(async (queries) => {
      if (!(await insertBlob(queries, blob, chunks, object))) return;
      await queries.write('update blobs set encoding = $2 where sha256 = $1', [blob.sha256, encoding]);
      await queries.write('delete from stray_objects where object = $1', [object]);
    });
  };

  const readChunk = async ({ sha256, object }: BlobRow, position: number): Promise<Buffer | undefined> => {
    if (object !== null) return objects?.get(chunkName(object, position));
    const [row] = await database.read<{ content: Buffer }>(
      'select content from blob_chunks where sha256 = $1 and position = $2',
      [sha256, position],
    );
    return row?.content;
  };
  return {
    put: (blob: BlobName, open: () => AsyncIterable<Uint8Array>): Promise<void> =>
      objects ? putObjects(objects, blob, open) : putRows(blob, open),
    async *read(row: BlobRow): AsyncGenerator<Buffer> {
      const hash = createHash('sha256');
      let left = Number(row.bytes);
      for (let position = 0; position < row.chunks; position++) {
        const stored = await readChunk(row, position);
        const chunk = stored && (await decode(row.encoding, stored, left).catch(() => undefined));
        if (!chunk) throw damaged(row.sha256);
        left -= chunk.length;
        hash.update(chunk);
        yield chunk;
      }
      if (left !== 0 || hash.digest('hex') !== row.sha256) throw damaged(row.sha256);
    },
  };
}

export function chunkName(object: string, position: number): string {
  return `${object}/${position}`;
}

function countChunks({ bytes }: BlobName, chunkBytes: number): number {
  return Math.max(1, Math.ceil(bytes / chunkBytes));
}

/** False if another process has stored it meanwhile. */
async function insertBlob(
  { write }: Queries,
  { sha256, bytes }: BlobName,
  chunks: number,
  object: string | null,
): Promise<boolean> {
  const rows = await write(
    'insert into blobs (sha256, bytes, chunks, object) values ($1, $2, $3, $4) on conflict do nothing returning 1',
    [sha256, bytes, chunks, object],
  );
  if (rows.length > 0) return true;
  await write(`update blobs set used_at = now() where sha256 = $1 and ${IS_STALE}`, [sha256]);
  return false;
}

/** Hands out the encoded chunks in order. Throws if the content does not have its hash. */
async function eachChunk(
  { sha256, bytes }: BlobName,
  open: () => AsyncIterable<Uint8Array>,
  chunkBytes: number,
  store: (position: number, bytes: Uint8Array) => Promise<void>,
): Promise<Encoding> {
  const hash = createHash('sha256');
  let encoding: Encoding | undefined;
  let position = 0;
  let total = 0;
  const add = async (chunk: Buffer): Promise<void> => {
    hash.update(chunk);
    total += chunk.length;
    if (encoding) return store(position++, await encodeAs(encoding, chunk));
    const first = await encode(chunk);
    encoding = first.encoding;
    return store(position++, first.bytes);
  };
  for await (const chunk of inChunks(open(), chunkBytes)) await add(chunk);
  if (total === 0) await add(Buffer.alloc(0));
  if (total !== bytes || hash.digest('hex') !== sha256)
    throw new Error('the content was changed while it was stored');
  return encoding ?? 'plain';
}

async function* inChunks(parts: AsyncIterable<Uint8Array>, chunkBytes: number): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const part of parts) {
    let rest = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    while (bytes + rest.length >= chunkBytes) {
      const fit = chunkBytes - bytes;
      yield Buffer.concat([...waiting, rest.subarray(0, fit)]);
      rest = rest.subarray(fit);
      waiting = [];
      bytes = 0;
    }
    if (rest.length > 0) waiting.push(Buffer.from(rest));
    bytes += rest.length;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
