/**
 * Installed packages on disk: one folder per hash. A package is written to a staging folder that a single rename makes visible,
 * and is removed by a rename as well: a crash leaves only a folder that a later call removes.
 */

import { readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type PackageOrigin, packageOriginSchema } from '@crewagent/protocol/package-origin';
import { VERSION } from '@crewagent/protocol/version';
import { createFolders, renameEntry, replaceFile } from '../../../base/durable-files.ts';
import { errnoOf, ifPresent } from '../../../base/errno.ts';
import { remember } from '../../../base/remember.ts';
import { removeTree } from '../../../base/remove-tree.ts';
import { readIfPresent } from '../../../base/small-files.ts';
import { stagingName } from '../../../base/staging.ts';
import type { PackageStore, StoredPackage } from '../../package-store.ts';
import { createDiskDocument } from '../disk-document.ts';
import { createStoreLayout, type StorePaths } from '../layout.ts';
import { sweepStagedFolders } from '../staged-folder.ts';
import { createPackageSeals } from './package-seals.ts';

const HASH = /^[0-9a-f]{64}$/;
/** A staging folder of this age is orphaned, even if its process id is in use again. */
const STALE_AFTER_MS = 24 * 60 * 60 * 1000;

export function createDiskPackages(paths: StorePaths): PackageStore {
  const { packagesFolder, packageFolder, packageSeal, packageOrigin } = paths;
  const seals = createPackageSeals(paths);
  const find = async (hash: string): Promise<StoredPackage | undefined> => {
    const found = statSync(packageFolder(hash), { throwIfNoEntry: false });
    return found && { hash, installedAt: found.mtime.toISOString() };
  };
  const makeStaging = async (): Promise<string> => {
    await createFolders(packagesFolder);
    await sweepStagedFolders(packagesFolder, STALE_AFTER_MS);
    const path = join(packagesFolder, stagingName('incoming'));
    await mkdir(path, { mode: 0o700 });
    return path;
  };
  /** One rename makes it invisible; the deletion may then be slow or interrupted. */
  const retire = async (hash: string): Promise<void> => {
    const trashed = join(packagesFolder, stagingName('removing'));
    await renameEntry(packageFolder(hash), trashed);
    await removeTree(trashed);
  };
  return {
    sharing: createDiskDocument(paths.sharingFile),
    folder: packageFolder,
    async list() {
      await sweepStagedFolders(packagesFolder, STALE_AFTER_MS);
      const hashes = ((await ifPresent(readdir(packagesFolder))) ?? []).filter((name) => HASH.test(name));
      return (await Promise.all(hashes.map(find))).filter((found) => found !== undefined);
    },
    find,
    async add(hash, write) {
      const staging = await makeStaging();
      try {
        const isThere = (await find(hash)) !== undefined;
        if (isThere && (await seals.isIntact(hash))) return false;
        await seals.write(hash, await write(staging));
        if (isThere) await ifPresent(retire(hash));
        return await publish(staging, packageFolder(hash));
      } finally {
        await removeTree(staging);
      }
    },
    seal: (hash) => seals.open(hash),
    async remove(hash) {
      await retire(hash);
      await rm(packageSeal(hash), { force: true });
      await rm(packageOrigin(hash), { force: true });
      await removeCompiled(paths, hash);
    },
    async makeScratch() {
      const path = await makeStaging();
      return { path, remove: () => removeTree(path) };
    },
    async users(hash) {
      const { worksNeedingPackage } = await import('./package-users.ts');
      return worksNeedingPackage(createStoreLayout(paths.root), hash);
    },
    async readOrigin(hash) {
      const text = readIfPresent(packageOrigin(hash));
      return text === undefined ? undefined : parseOrigin(text);
    },
    writeOrigin: (hash, origin) => replaceFile(packageOrigin(hash), JSON.stringify(origin)),
    readCompiled: (hash) => readCompiled(paths, hash),
    writeCompiled: (hash, compiled) => writeCompiled(paths, hash, compiled),
  };
}

/** Undefined for a damaged record: the package is then one of unknown origin. */
function parseOrigin(text: string): PackageOrigin | undefined {
  try {
    return packageOriginSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** False if another process published the same bytes first. */
async function publish(staging: string, folder: string): Promise<boolean> {
  try {
    await renameEntry(staging, folder);
    return true;
  } catch (error) {
    const isTaken = ['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(errnoOf(error) ?? '');
    if (!isTaken || !(await ifPresent(stat(folder)))) throw error;
    return false;
  }
}

/** Increased whenever the stored form changes. */
const FORMAT = 6;

/**
 * Cache of validated packages, so that a run need not validate its package again. An entry is valid for one hash and one
 * version of the runtime, and is recreated when it is missing.
 */
interface Compiled {
  readonly format: number;
  readonly runtimeVersion: string;
  readonly package: unknown;
}

/** A server reads the same entry for each run of a package. */
const parsed = remember<Partial<Compiled> | null>(4);

/** Undefined if there is no entry, or one of another version. */
async function readCompiled(store: StorePaths, hash: string): Promise<unknown> {
  try {
    const text = readFileSync(store.compiledPackage(hash), 'utf8');
    const found = parsed(text, () => JSON.parse(text) as Partial<Compiled> | null);
    return found?.runtimeVersion === VERSION && found.format === FORMAT ? found.package : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || errnoOf(error) !== undefined) return undefined;
    throw error;
  }
}

/** Ignores disk errors: the cache only saves time. */
async function writeCompiled(store: StorePaths, hash: string, compiled: unknown): Promise<void> {
  const file = store.compiledPackage(hash);
  const content: Compiled = { format: FORMAT, runtimeVersion: VERSION, package: compiled };
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await replaceFile(file, JSON.stringify(content));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

async function removeCompiled(store: StorePaths, hash: string): Promise<void> {
  await rm(store.compiledPackage(hash), { force: true });
}
