/**
 * Installs a package into the store under the hash of its bytes. The work happens in a staging folder that a single rename
 * makes visible: a crash before the rename leaves only a folder that the next call removes.
 */
import { chmod, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Diagnostic } from '@crewagent/protocol/diagnostics';
import type { InstalledPackage } from '@crewagent/protocol/installed-package';
import { CrewError } from '../base/crew-error.ts';
import { createFile, createFolders, renameEntry, syncFolder } from '../base/durable-files.ts';
import { errnoOf, withDiskErrors } from '../base/errno.ts';
import { mapLimit } from '../base/map-limit.ts';
import { removeTree } from '../base/remove-tree.ts';
import { stagingName } from '../base/staging.ts';
import type { StorePaths } from '../store/disk/layout.ts';
import { readInstalled, sweepStaging } from './installed-packages.ts';
import { invalidPackage, withValidPackage } from './load-package.ts';
import { hashFile } from './open-archive.ts';
import type { OpenArchive, OpenPackage } from './open-package.ts';
import { packFolder } from './pack-package.ts';
import { DamagedFile, type PackageFiles } from './package-files.ts';
import type { ValidationContext } from './validate-package.ts';

export interface ImportResult {
  readonly package: InstalledPackage;
  /** The same bytes were installed before; nothing was written. */
  readonly alreadyInstalled: boolean;
  readonly warnings: readonly Diagnostic[];
}

/** Installs the archive or folder at `source`. Throws PACKAGE_INVALID with all findings if it is rejected. */
export async function importPackage(
  source: string,
  store: StorePaths,
  context: ValidationContext,
  /** The name shown to people, if it is not the path. */
  shown = source,
): Promise<ImportResult> {
  const action = `Could not install "${shown}"`;
  await withDiskErrors(action, async () => {
    await createFolders(store.packages);
    await sweepStaging(store);
  });
  if (!(await isFolder(source))) return importArchive(source, shown, { store, context });
  // A folder is packed first, so that it gets the identity of its packed form.
  const staging = join(store.packages, stagingName('incoming'));
  try {
    await withDiskErrors(action, () => mkdir(staging, { mode: 0o700 }));
    const archive = join(staging, 'package.bmad');
    await packFolder(source, archive, context);
    return await importArchive(archive, shown, { store, context });
  } finally {
    await removeTree(staging);
  }
}

async function importArchive(
  path: string,
  shown: string,
  { store, context }: { store: StorePaths; context: ValidationContext },
): Promise<ImportResult> {
  const action = `Could not install "${shown}"`;
  const install = async (
    { archive, files }: OpenPackage,
    _: unknown,
    warnings: readonly Diagnostic[],
  ): Promise<ImportResult> => {
    if (!archive)
      throw new CrewError('PACKAGE_CHANGED', `"${shown}" changed while it was being read. Try again.`);
    const hash = await hashFile(archive.handle);
    const folder = store.packageFolder(hash);
    const isThere = await withDiskErrors(action, () => exists(folder));
    const isNew = !isThere && (await withDiskErrors(action, () => unpackInto(store, folder, files, archive)));
    await archive.checkUnchanged();
    return { package: await readInstalled(store, hash), alreadyInstalled: !isNew, warnings };
  };
  try {
    return await withValidPackage(path, context, install, { shown });
  } catch (error) {
    if (error instanceof DamagedFile) throw invalidPackage(shown, [damage(error)]);
    throw error;
  }
}

/** False if another process published the same bytes first. */
async function unpackInto(
  store: StorePaths,
  folder: string,
  files: PackageFiles,
  archive: OpenArchive,
): Promise<boolean> {
  const staging = join(store.packages, stagingName('incoming'));
  try {
    await unpack(files, staging);
    await archive.checkUnchanged();
    return await publish(staging, folder);
  } catch (error) {
    await removeTree(staging);
    throw error;
  }
}

const CONCURRENCY = 4;

/** Writes every file, private and read-only, and syncs each to disk. */
async function unpack(files: PackageFiles, staging: string): Promise<void> {
  await mkdir(staging, { mode: 0o700 });
  const paths = [...files.paths];
  const folders = foldersOf(paths);
  for (const folder of folders) await mkdir(join(staging, folder), { recursive: true, mode: 0o700 });
  await mapLimit(paths, CONCURRENCY, async (path) => {
    await createFile(join(staging, path), await files.read(path), 0o400);
  });
  for (const folder of [...folders.reverse(), '']) {
    const full = join(staging, folder);
    await syncFolder(full);
    await chmod(full, 0o500);
  }
}

/** Every folder that holds a file, parents first. */
function foldersOf(paths: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder);
  }
  return [...folders].sort((a, b) => a.length - b.length);
}

/** Publishes the package atomically. False if another process published the same bytes first. */
async function publish(staging: string, folder: string): Promise<boolean> {
  try {
    await renameEntry(staging, folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(errnoOf(error) ?? '') || !(await exists(folder)))
      throw error;
    await removeTree(staging);
    return false;
  }
  return true;
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    // Opening it as an archive reports the error.
    if (errnoOf(error) !== undefined) return false;
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

function damage(error: DamagedFile): Diagnostic {
  return {
    severity: 'error',
    code: 'ARCHIVE_DAMAGED',
    file: '.',
    message: error.message,
    fix: 'Get the package again, or pack it again from its folder.',
  };
}
