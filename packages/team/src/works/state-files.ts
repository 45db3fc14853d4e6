/**
 * The files of `@state` as rows, and their copies in a real folder, which tools read and write. Finds out what changed in the folder by the
 * identity of each file.
 */
import { readdirSync, statSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256Of } from '@crewagent/core/store';
import type { Blobs } from '../blobs/blobs.ts';
import type { Queries } from '../database/database.ts';

/** The identity and the hash of each file, by path, as of the last look. */
export type KnownFiles = Map<string, { readonly identity: string; readonly sha256: string }>;

export interface StateChange {
  readonly path: string;
  /** Undefined if the file was removed. */
  readonly content: Buffer | undefined;
  readonly sha256: string | undefined;
}

/** Contents up to this size are in the row itself. */
export const INLINE_BYTES = 256 * 1024;

interface StateRow {
  readonly path: string;
  readonly sha256: string;
  /** Null for one that is known, or not small. */
  readonly content: Buffer | null;
}

/** Contents up to this size come with the list. */
const SMALL_BYTES = 16 * 1024;

/** Makes the folder equal to the rows. `known`: what is in the folder already; it is brought up to date. */
export async function checkOutState(
  { database, blobs }: { readonly database: Queries; readonly blobs: Blobs },
  workId: string,
  folder: string,
  known: KnownFiles,
): Promise<void> {
  if (known.size === 0) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const rows = await database.read<StateRow>(
    `select path, sha256, case when octet_length(content) <= $2 and sha256 <> all($3::text[]) then content end as content
     from state_files where work_id = $1`,
    [workId, SMALL_BYTES, [...known.values()].map(({ sha256 }) => sha256)],
  );
  const wanted = new Map(rows.map(({ path, sha256 }) => [path, sha256]));
  for (const path of [...known.keys()].filter((one) => !wanted.has(one))) {
    await rm(join(folder, path), { force: true });
    known.delete(path);
  }
  const missing = rows.filter(({ path, sha256 }) => known.get(path)?.sha256 !== sha256);
  for (const { path, sha256, content: sent } of missing) {
    const content = sent ?? (await readStateFile({ database, blobs }, workId, path));
    if (!content) continue;
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, content, { mode: 0o600 });
    known.set(path, { identity: identify(file) ?? '', sha256 });
  }
}

export async function readStateFile(
  { database, blobs }: { readonly database: Queries; readonly blobs: Blobs },
  workId: string,
  path: string,
): Promise<Buffer | undefined> {
  const [row] = await database.read<{ content: Buffer | null; sha256: string }>(
    'select content, sha256 from state_files where work_id = $1 and path = $2',
    [workId, path],
  );
  return row?.content ?? (row && blobs.get(row.sha256));
}

/**
 * What changed in the folder since the last look. Call `remember` when the changes are stored. Looks without waiting: each turn does so, a
 * few files take a tenth of the time that way.
 */
export async function findStateChanges(
  folder: string,
  known: KnownFiles,
): Promise<{ readonly changes: readonly StateChange[]; remember(): void }> {
  const found: KnownFiles = new Map();
  const changes: StateChange[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(folder.length + 1).replaceAll('\\', '/');
    // Being written: it gets its name when it is complete.
    if (entry.name.startsWith('.')) continue;
    const identity = identify(file);
    if (identity === undefined) continue;
    const before = known.get(path);
    if (before?.identity === identity) {
      found.set(path, before);
      continue;
    }
    const content = await readFile(file);
    const sha256 = sha256Of(content);
    found.set(path, { identity, sha256 });
    if (before?.sha256 !== sha256) changes.push({ path, content, sha256 });
  }
  for (const path of known.keys())
    if (!found.has(path)) changes.push({ path, content: undefined, sha256: undefined });
  return {
    changes,
    remember() {
      known.clear();
      for (const [path, file] of found) known.set(path, file);
    },
  };
}

/** Undefined for a missing file. */
function identify(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found && `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
}
