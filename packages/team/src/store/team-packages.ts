/**
 * The packages of a team: a row with the hashes of the files, whose contents are blobs. Before a package is used its files are copied to
 * this machine, where the disk adapter seals them as always.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CrewError } from '@crewagent/core';
import { createQueue, type PackageStore, type PackageUsers } from '@crewagent/core/store';
import { type FileHashes, fileHashesSchema } from '@crewagent/protocol/installed-package';
import { packageOriginSchema } from '@crewagent/protocol/package-origin';
import type { Blobs } from '../blobs/blobs.ts';
import type { Database } from '../database/database.ts';

export interface TeamPackagesOptions {
  readonly database: Database;
  readonly blobs: Blobs;
  /** Packages on this machine. */
  readonly local: PackageStore;
}

export function createTeamPackages({ database, blobs, local }: TeamPackagesOptions): PackageStore {
  const readRow = async (hash: string) => {
    const [row] = await database.read<{ files: string; origin: string | null; installed_at: Date }>(
      'select files, origin, installed_at from packages where hash = $1',
      [hash],
    );
    return row && { ...row, files: fileHashesSchema.parse(JSON.parse(row.files)) };
  };
  // Two that install one package at once would remove each other's copy.
  const inOrder = createQueue();
  const copies = new Map<string, Promise<unknown>>();
  /** Copies the files to this machine, once. */
  const ensureLocal = async (hash: string, files: FileHashes): Promise<void> => {
    const known = copies.get(hash);
    if (known) return void (await known);
    const copied = local.add(hash, (folder) => writeFiles(folder, files, blobs));
    copies.set(hash, copied);
    copied.catch(() => copies.delete(hash));
    await copied;
  };
  return {
    ...local,
    async list() {
      const rows = await database.read<{ hash: string; installed_at: Date }>(
        'select hash, installed_at from packages',
      );
      return rows.map((row) => ({ hash: row.hash, installedAt: row.installed_at.toISOString() }));
    },
    async find(hash) {
      const row = await readRow(hash);
      if (!row) return undefined;
      await ensureLocal(hash, row.files);
      return { hash, installedAt: row.installed_at.toISOString() };
    },
    add: (hash, write) =>
      inOrder(async () => {
        if (await readRow(hash)) return false;
        // A copy of a package that was removed meanwhile.
        if (await local.find(hash)) await local.remove(hash);
        let files: FileHashes = {};
        await local.add(hash, async (folder) => {
          files = await write(folder);
          return files;
        });
        await store({ database, blobs }, hash, files, local.folder(hash));
        return true;
      }),
    async seal(hash) {
      // Contents never change; only `find` tells whether it is still installed.
      const row = copies.has(hash) ? undefined : await readRow(hash);
      if (row) await ensureLocal(hash, row.files);
      await copies.get(hash);
      return local.seal(hash);
    },
    async remove(hash) {
      await database.read('delete from packages where hash = $1', [hash]);
      copies.delete(hash);
      if (await local.find(hash)) await local.remove(hash);
    },
    users: (hash) => findUsers(database, hash),
    async readOrigin(hash) {
      const origin = (await readRow(hash))?.origin;
      return origin ? packageOriginSchema.safeParse(JSON.parse(origin)).data : undefined;
    },
    async writeOrigin(hash, origin) {
      await database.read('update packages set origin = $2 where hash = $1', [hash, JSON.stringify(origin)]);
    },
  };
}

async function writeFiles(folder: string, files: FileHashes, blobs: Blobs): Promise<FileHashes> {
  for (const [path, sha256] of Object.entries(files)) {
    const content = await blobs.get(sha256);
    if (!content) {
      const message = 'A file of the package is missing in the database; install the package again.';
      throw new CrewError('PACKAGE_DAMAGED', message, { details: { path } });
    }
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, content, { mode: 0o400 });
  }
  return files;
}

async function store(
  { database, blobs }: Pick<TeamPackagesOptions, 'database' | 'blobs'>,
  hash: string,
  files: FileHashes,
  folder: string,
): Promise<void> {
  for (const [path, sha256] of Object.entries(files))
    await blobs.put(new Map([[sha256, await readFile(join(folder, path))]]));
  await database.read('insert into packages (hash, files) values ($1, $2) on conflict do nothing', [
    hash,
    JSON.stringify(files),
  ]);
}

async function findUsers(database: Database, hash: string): Promise<PackageUsers> {
  const rows = await database.read<{ work_id: string; project_id: string; is_run: boolean; record: string }>(
    'select work_id, project_id, is_run, record from works where package_hash = $1',
    [hash],
  );
  const users = rows.filter(({ is_run: isRun, record }) => {
    const { phase, archivedAt } = JSON.parse(record) as { phase: string; archivedAt?: string };
    return isRun ? phase === 'Running' || phase === 'WaitingUser' : archivedAt === undefined;
  });
  return {
    runs: users.filter((row) => row.is_run).map((row) => row.work_id),
    conversations: users.filter((row) => !row.is_run).map((row) => row.work_id),
    projectIds: new Set(users.map((row) => row.project_id)),
  };
}
