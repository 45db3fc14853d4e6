/**
 * Deletes contents that nothing names. A content is stored before the row that names it is committed, and marked as used each time it is
 * stored, so that one that was used a short time ago is left alone: its commit may be under way.
 */
import type { Database } from '../database/database.ts';
import { chunkName } from './large-blobs.ts';
import type { ObjectStore } from './object-store.ts';

/** Every column that can name a content. Hashes are found in it as text, so that the shape of its documents does not matter. */
const NAMED_IN: readonly (readonly [table: string, column: string])[] = [
  ['state_files', 'sha256'],
  ['work_journal', 'record'],
  ['held_views', 'view'],
  ['workspace_files', 'entry'],
  ['project_files', 'entry'],
  ['source_files', 'entry'],
  ['workspace_conflicts', 'base'],
  ['workspace_conflicts', 'theirs'],
  ['workspace_conflicts', 'ours'],
  ['packages', 'files'],
];

const NAMES = NAMED_IN.map(
  ([table, column]) =>
    `select found[1] as sha256 from ${table}, regexp_matches(${column}, '[0-9a-f]{64}', 'g') as found`,
).join(' union ');

export interface GarbageOptions {
  readonly objects?: ObjectStore | undefined;
  /** How long a content without a name stays. */
  readonly graceHours?: number;
}

/** Contents deleted by one statement: a lock on each of them is held until it ends. */
const BATCH = 1_000;

/** Returns the number of contents that were deleted. */
export async function collectGarbage(database: Database, options: GarbageOptions = {}): Promise<number> {
  const { objects, graceHours = 24 } = options;
  const grace = `${graceHours} hours`;
  let removed = 0;
  for (;;) {
    const count = await removeBatch(database, grace);
    removed += count;
    if (count < BATCH) break;
  }
  if (objects) await removeStrays(database, objects, grace);
  return removed;
}

/** A content that is stored again meanwhile is no longer old when its lock is there, and stays. */
async function removeBatch(database: Database, grace: string): Promise<number> {
  const [row] = await database.write<{ count: string }>(
    `with old as (
       select sha256 from blobs where used_at < now() - $1::interval
         and sha256 not in (${NAMES}) limit ${BATCH}),
     gone as (
       delete from blobs using old
       where blobs.sha256 = old.sha256 and blobs.used_at < now() - $1::interval
       returning blobs.sha256, blobs.object, blobs.chunks),
     chunks as (delete from blob_chunks using gone where blob_chunks.sha256 = gone.sha256),
     strays as (
       insert into stray_objects (object, chunks, since)
       select object, chunks, now() - $1::interval from gone where object is not null)
     select count(*) from gone`,
    [grace],
  );
  return Number(row?.count ?? 0);
}

/** Objects of deleted contents, and of uploads that ended before their content was committed. */
async function removeStrays(database: Database, objects: ObjectStore, grace: string): Promise<void> {
  const strays = await database.read<{ object: string; chunks: number }>(
    'select object, chunks from stray_objects where since <= now() - $1::interval',
    [grace],
  );
  for (const { object, chunks } of strays) {
    for (let position = 0; position < chunks; position++) await objects.remove(chunkName(object, position));
    await database.read('delete from stray_objects where object = $1', [object]);
  }
}
