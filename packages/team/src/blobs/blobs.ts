/** Contents of files, addressed by their SHA-256. They never change, so that storing one twice does no harm. */
import type { Queries } from '../database/database.ts';

export interface Blobs {
  /** Stores the contents that are not there yet; durable when this resolves. */
  put(contents: ReadonlyMap<string, Uint8Array>): Promise<void>;
  /** Undefined if it is not stored. */
  get(sha256: string): Promise<Buffer | undefined>;
}

export function createPostgresBlobs(database: Queries): Blobs {
  return {
    async put(contents) {
      if (contents.size === 0) return;
      const entries = [...contents];
      await database.read(
        `insert into blobs (sha256, bytes, content)
         select given.sha256, octet_length(given.content), given.content
         from unnest($1::text[], $2::bytea[]) as given (sha256, content)
         on conflict do nothing`,
        [entries.map(([sha256]) => sha256), entries.map(([, content]) => Buffer.from(content))],
      );
    },
    async get(sha256) {
      const [row] = await database.read<{ content: Buffer }>('select content from blobs where sha256 = $1', [
        sha256,
      ]);
      return row?.content;
    },
  };
}
