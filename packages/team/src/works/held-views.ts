/**
 * Changes of programs that wait for approval (`core/tools/changes`), as rows: a Work that waits has no worker, and the next one is another.
 * Their folders are stored before the event that asks for the approval, and written again when the Work is leased.
 */
import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256Of } from '@crewagent/core/store';
import { type HeldChanges, heldChangesSchema } from '@crewagent/protocol/held-changes';
import type { Blobs } from '../blobs/blobs.ts';
import type { Database } from '../database/database.ts';

export interface HeldViewsOptions {
  readonly database: Database;
  readonly blobs: Blobs;
  readonly workId: string;
  /** Of the lease. */
  readonly epoch: string;
  /** Where programs of the Work have their views. */
  readonly folder: string;
}

export type HeldViews = ReturnType<typeof createHeldViews>;

/** A row: the record of the view, and the entries that it names. */
interface StoredView {
  readonly held: HeldChanges;
  readonly entries: readonly StoredEntry[];
}

type StoredEntry =
  | { readonly path: string; readonly kind: 'file'; readonly sha256: string; readonly mode: number }
  | { readonly path: string; readonly kind: 'link'; readonly target: string }
  | { readonly path: string; readonly kind: 'folder'; readonly mode: number };

const HELD = 'held.json';
const CONTENTS = 'upper';
const PERMISSIONS = 0o777;

export function createHeldViews({ database, blobs, workId, epoch, folder }: HeldViewsOptions) {
  /** Names of the stored ones: `commands/.view-…`. What they hold never changes. */
  const known = new Set<string>();

  const add = async (name: string, held: HeldChanges): Promise<void> => {
    const contents = new Map<string, Uint8Array>();
    const entries = await readEntries(join(folder, name, CONTENTS), held, contents);
    await blobs.put(contents);
    const view: StoredView = { held, entries };
    await database.read(
      `insert into held_views (work_id, name, view)
       select work_id, $3, $4 from work_heads where work_id = $1 and epoch = $2
       on conflict (work_id, name) do nothing`,
      [workId, epoch, name, JSON.stringify(view)],
    );
    known.add(name);
  };
  const remove = async (names: readonly string[]): Promise<void> => {
    await database.read(
      `delete from held_views where work_id = $1 and name = any($3::text[])
         and exists (select from work_heads where work_heads.work_id = $1 and epoch = $2)`,
      [workId, epoch, names],
    );
    for (const name of names) known.delete(name);
  };
  return {
    /** Makes the rows equal to the folder. */
    async store(): Promise<void> {
      if (known.size === 0 && !existsSync(folder)) return;
      const found = await findHeld(folder);
      for (const [name, held] of found) if (!known.has(name)) await add(name, held);
      const gone = [...known].filter((name) => !found.has(name));
      if (gone.length > 0) await remove(gone);
    },
    /** Makes the folder equal to the rows. */
    async restore(): Promise<void> {
      const rows = await database.read<{ name: string; view: string }>(
        'select name, view from held_views where work_id = $1',
        [workId],
      );
      for (const { name, view } of rows) {
        known.add(name);
        await writeView(join(folder, name), JSON.parse(view) as StoredView, blobs);
      }
    },
  };
}

async function findHeld(folder: string): Promise<Map<string, HeldChanges>> {
  const found = new Map<string, HeldChanges>();
  for (const kind of await readdir(folder).catch(() => []))
    for (const view of await readdir(join(folder, kind)).catch(() => [])) {
      const text = await readFile(join(folder, kind, view, HELD), 'utf8').catch(() => undefined);
      if (text !== undefined) found.set(`${kind}/${view}`, heldChangesSchema.parse(JSON.parse(text)));
    }
  return found;
}

/** Adds the contents of files to `contents`. */
async function readEntries(
  folder: string,
  { asked }: HeldChanges,
  contents: Map<string, Uint8Array>,
): Promise<StoredEntry[]> {
  const entries: StoredEntry[] = [];
  for (const { path, isRemoved } of asked) {
    if (isRemoved) continue;
    const file = join(folder, path);
    const stats = await lstat(file);
    const mode = stats.mode & PERMISSIONS;
    if (stats.isSymbolicLink()) entries.push({ path, kind: 'link', target: await readlink(file) });
    else if (stats.isDirectory()) entries.push({ path, kind: 'folder', mode });
    else {
      const content = await readFile(file);
      const sha256 = sha256Of(content);
      contents.set(sha256, content);
      entries.push({ path, kind: 'file', sha256, mode });
    }
  }
  return entries;
}

/** The record comes last: a folder without one is left over. */
async function writeView(folder: string, { held, entries }: StoredView, blobs: Blobs): Promise<void> {
  const contents = join(folder, CONTENTS);
  await mkdir(contents, { recursive: true, mode: 0o700 });
  for (const entry of entries) {
    const path = join(contents, entry.path);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    if (entry.kind === 'link') await symlink(entry.target, path);
    else {
      if (entry.kind === 'folder') await mkdir(path, { recursive: true });
      else await writeFile(path, (await blobs.get(entry.sha256)) ?? '');
      await chmod(path, entry.mode);
    }
  }
  await writeFile(join(folder, HELD), JSON.stringify(held), { mode: 0o600 });
}
