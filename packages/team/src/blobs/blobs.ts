/**
 * Contents of files, addressed by their SHA-256. They never change, so that storing one twice does no harm. A small content is in a row,
 * a large one in chunks: in this database, or in an object store if there is one.
 */
import { sha256Of } from '@crewagent/core/store';
import { ConnectionLost, type Database } from '../database/database.ts';
import { type BlobName, type BlobRow, damaged, IS_STALE } from './blob-rows.ts';
import { decode, encode } from './encoding.ts';
import { createLargeBlobs } from './large-blobs.ts';
import type { ObjectStore } from './object-store.ts';

export interface Blobs {
  /** Stores the contents that are not there yet; durable when this resolves. */
  put(contents: ReadonlyMap<string, Uint8Array>): Promise<void>;
  /** Stores a content of any size. `open` may be called again after an error. */
  putLarge(blob: BlobName, open: () => AsyncIterable<Uint8Array>): Promise<void>;
  /** Undefined if it is not stored. Throws STORE_DAMAGED if it does not have its hash. */
  get(sha256: string): Promise<Buffer | undefined>;
  /** Those of the given contents that are stored in rows, with one request: the caller limits how many. */
  getSmall(sha256s: readonly string[]): Promise<Map<string, Buffer>>;
  /** The parts of a content of any size. Throws after the last one if it does not have its hash. */
  read(sha256: string): AsyncIterable<Buffer>;
  /** Which of them are not stored. */
  findMissing(sha256s: readonly string[]): Promise<Set<string>>;
}

export interface BlobOptions {
  /** For contents above `rowBytes`. */
  readonly objects?: ObjectStore | undefined;
  /** Contents above this size are in chunks of it. */
  readonly rowBytes?: number;
}

/** Above this size it is asked first which contents are there. */
const ASK_BYTES = 64 * 1024;
const BATCH_BYTES = 8 * 1_048_576;
/** Much less than the time for which garbage collection leaves a content that has no name. */
const RECENT_MS = 30 * 60_000;
const MAX_RECENT = 50_000;

export function createPostgresBlobs(database: Database, options: BlobOptions = {}): Blobs {
  const { objects, rowBytes = 4 * 1_048_576 } = options;
  const large = createLargeBlobs(database, objects, rowBytes);
  const recent = createRecent();

  /** Marks those that are there as used. */
  const findMissing = async (sha256s: readonly string[]): Promise<Set<string>> => {
    if (sha256s.length === 0) return new Set();
    const rows = await database.read<{ sha256: string }>(
      `with used as (
         update blobs set used_at = now() where sha256 = any($1::text[]) and ${IS_STALE})
       select sha256 from blobs where sha256 = any($1::text[])`,
      [[...sha256s].sort()],
    );
    const missing = new Set(sha256s);
    for (const { sha256 } of rows) missing.delete(sha256);
    return missing;
  };
  const blobs: Blobs = {
    async put(contents) {
      const fresh = [...contents].filter(([sha256]) => !recent.has(sha256));
      const bytes = fresh.reduce((sum, [, content]) => sum + content.length, 0);
      const missing = bytes <= ASK_BYTES ? undefined : await findMissing(fresh.map(([sha256]) => sha256));
      const absent = missing ? fresh.filter(([sha256]) => missing.has(sha256)) : fresh;
      for (const [sha256, content] of absent)
        if (content.length > rowBytes)
          await blobs.putLarge({ sha256, bytes: content.length }, async function* () {
            yield content;
          });
      const small = absent.filter(([, content]) => content.length <= rowBytes);
      for (const batch of toBatches(small)) await insertRows(database, batch);
      for (const [sha256] of fresh) recent.add(sha256);
    },
    async putLarge(blob, open) {
      for (;;)
        try {
          if ((await findMissing([blob.sha256])).size > 0) await large.put(blob, open);
          return;
        } catch (error) {
          if (!(error instanceof ConnectionLost)) throw error;
        }
    },
    async get(sha256) {
      const row = await readRow(database, sha256);
      if (!row) return undefined;
      if (row.chunks === 0) return toContent(row);
      return Buffer.concat(await collect(large.read(row)));
    },
    async getSmall(sha256s) {
      const rows = await database.read<BlobRow>(
        `select ${COLUMNS} from blobs where sha256 = any($1::text[]) and chunks = 0`,
        [sha256s],
      );
      const found = new Map<string, Buffer>();
      for (const row of rows) found.set(row.sha256, await toContent(row));
      return found;
    },
    async *read(sha256) {
      const row = await readRow(database, sha256);
      if (!row) throw damaged(sha256);
      if (row.chunks === 0) yield await toContent(row);
      else yield* large.read(row);
    },
    findMissing,
  };
  return blobs;
}

/** Throws STORE_DAMAGED if it is not stored. */
export async function requireBlob(blobs: Blobs, sha256: string): Promise<Buffer> {
  const content = await blobs.get(sha256);
  if (!content) throw damaged(sha256);
  return content;
}

const COLUMNS = 'sha256, bytes, encoding, content, chunks, object';

async function readRow(database: Database, sha256: string): Promise<BlobRow | undefined> {
  const [row] = await database.read<BlobRow>(`select ${COLUMNS} from blobs where sha256 = $1`, [sha256]);
  return row;
}

async function toContent({ sha256, bytes, encoding, content }: BlobRow): Promise<Buffer> {
  const decoded = await decode(encoding, content ?? Buffer.alloc(0), Number(bytes)).catch(() => undefined);
  if (!decoded || sha256Of(decoded) !== sha256) throw damaged(sha256);
  return decoded;
}

async function collect(parts: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const all: Buffer[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

type Contents = [sha256: string, content: Uint8Array][];

function toBatches(contents: Contents): Contents[] {
  // In one order for all processes: rows are locked as they come.
  const sorted = contents.toSorted(([one], [other]) => (one < other ? -1 : 1));
  const batches: Contents[] = [];
  let room = 0;
  for (const item of sorted) {
    if (room < item[1].length || batches.length === 0) {
      batches.push([]);
      room = BATCH_BYTES;
    }
    batches.at(-1)?.push(item);
    room -= item[1].length;
  }
  return batches;
}

/** All contents in one parameter: an array of them would be sent as text of twice the size. */
async function insertRows(database: Database, contents: Contents): Promise<void> {
  const encoded = await Promise.all(contents.map(([, content]) => encode(content)));
  const starts: number[] = [];
  let next = 1;
  for (const { bytes } of encoded) {
    starts.push(next);
    next += bytes.length;
  }
  await database.read(
    `insert into blobs (sha256, bytes, encoding, content)
     select given.sha256, given.bytes, given.encoding, substring($6::bytea from given.start for given.length)
     from unnest($1::text[], $2::bigint[], $3::text[], $4::integer[], $5::integer[])
       as given (sha256, bytes, encoding, start, length)
     on conflict (sha256) do update set used_at = now() where ${IS_STALE}`,
    [
      contents.map(([sha256]) => sha256),
      contents.map(([, content]) => content.length),
      encoded.map(({ encoding }) => encoding),
      starts,
      encoded.map(({ bytes }) => bytes.length),
      Buffer.concat(encoded.map(({ bytes }) => bytes)),
    ],
  );
}

/** What this process stored a short time ago. */
function createRecent() {
  const times = new Map<string, number>();
  return {
    has(sha256: string): boolean {
      const at = times.get(sha256);
      return at !== undefined && performance.now() - at < RECENT_MS;
    },
    add(sha256: string): void {
      times.delete(sha256);
      times.set(sha256, performance.now());
      const [oldest] = times.keys();
      if (times.size > MAX_RECENT && oldest !== undefined) times.delete(oldest);
    },
  };
}
