/**
 * The packages in the store: list, resolve a name, remove, and clean up after crashes.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { bmadManifestSchema } from '@crewagent/protocol/bmad';
import type { InstalledPackage } from '@crewagent/protocol/installed-package';
import { CrewError } from '../base/crew-error.ts';
import { renameEntry } from '../base/durable-files.ts';
import { errnoOf, withDiskErrors } from '../base/errno.ts';
import { removeTree } from '../base/remove-tree.ts';
import { isAlive, parseStagingName, stagingName } from '../base/staging.ts';
import { removeCompiled } from '../store/disk/compiled-packages.ts';
import type { StorePaths } from '../store/disk/layout.ts';
import { worksNeedingPackage } from '../store/disk/package-users.ts';

const HASH = /^[0-9a-f]{64}$/;
/** A staging folder of this age is orphaned, even if its process id is in use again. */
const STALE_AFTER_MS = 24 * 60 * 60 * 1000;

/** All installed packages, by name, then newest first. */
export async function listInstalled(store: StorePaths): Promise<InstalledPackage[]> {
  return withDiskErrors('Could not read the installed packages', async () => {
    await sweepStaging(store);
    const hashes = (await namesIn(store.packages)).filter((name) => HASH.test(name));
    const packages = await Promise.all(hashes.map((hash) => readIfInstalled(store, hash)));
    return packages
      .filter((found) => found !== undefined)
      .sort((a, b) => a.name.localeCompare(b.name) || b.installedAt.localeCompare(a.installedAt));
  });
}

/** Undefined if it was just removed. */
async function readIfInstalled(store: StorePaths, hash: string): Promise<InstalledPackage | undefined> {
  try {
    return await readInstalled(store, hash);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

export async function readInstalled(store: StorePaths, hash: string): Promise<InstalledPackage> {
  const folder = store.packageFolder(hash);
  const installedAt = (await stat(folder)).mtime.toISOString();
  const manifest = await readManifest(join(folder, 'bmad.json'));
  if (!manifest) return { hash, name: '(damaged)', version: '?', installedAt };
  const { name, version, description } = manifest;
  return { hash, name, version, ...(description === undefined ? {} : { description }), installedAt };
}

/** Finds the package by hash, hash prefix, name, or name@version. */
export async function resolveInstalled(store: StorePaths, ref: string): Promise<InstalledPackage> {
  const wanted = ref.trim();
  const matches = (await listInstalled(store)).filter(
    ({ hash, name, version }) =>
      name === wanted ||
      `${name}@${version}` === wanted ||
      (/^[0-9a-f]{6,64}$/i.test(wanted) && hash.startsWith(wanted.toLowerCase())),
  );
  const [first] = matches;
  if (!first) {
    throw new CrewError(
      'PACKAGE_NOT_FOUND',
      `No installed package matches "${ref}". Run "crewagent packages list" to see the installed packages.`,
    );
  }
  if (matches.length > 1) {
    const choices = matches.map(({ hash, name, version }) => `${name}@${version} (${hash.slice(0, 12)})`);
    throw new CrewError(
      'PACKAGE_AMBIGUOUS',
      `"${ref}" matches ${matches.length} installed packages: ${choices.join(', ')}. Use the id in brackets.`,
    );
  }
  return first;
}

/** Removes a package. Throws while an unfinished run needs it, unless forced. */
export async function removeInstalled(
  store: StorePaths,
  ref: string,
  options: { force?: boolean } = {},
): Promise<InstalledPackage> {
  const found = await resolveInstalled(store, ref);
  const action = `Could not remove ${found.name}@${found.version}`;
  if (!options.force) await withDiskErrors(action, () => requireUnused(store, found));
  await withDiskErrors(action, async () => {
    // One rename makes it invisible; the deletion may then be slow or interrupted.
    const trashed = join(store.packages, stagingName('removing'));
    await renameEntry(store.packageFolder(found.hash), trashed);
    await removeTree(trashed);
    await removeCompiled(store, found.hash);
  });
  return found;
}

async function requireUnused(store: StorePaths, { hash, name, version }: InstalledPackage): Promise<void> {
  const users = await worksNeedingPackage(store, hash);
  const runs = users.filter(({ isRun }) => isRun).map(({ workId }) => workId);
  const conversations = users.filter(({ isRun }) => !isRun).map(({ workId }) => workId);
  if (runs.length > 0) {
    throw new CrewError(
      'PACKAGE_IN_USE',
      `${name}@${version} is needed by ${runs.length === 1 ? 'an unfinished run' : `${runs.length} unfinished runs`}. Finish or delete ${runs.length === 1 ? 'it' : 'them'} first, or remove the package with --force.`,
      { details: { runs } },
    );
  }
  if (conversations.length > 0) {
    throw new CrewError(
      'PACKAGE_IN_USE',
      `${name}@${version} is needed by ${conversations.length === 1 ? 'a conversation' : `${conversations.length} conversations`} with one of its agents. Archive or delete ${conversations.length === 1 ? 'it' : 'them'} first, or remove the package with --force.`,
      { details: { conversations } },
    );
  }
}

/** Deletes the remains of killed imports and removals. Work of a living process is left alone. */
export async function sweepStaging(store: StorePaths): Promise<void> {
  for (const name of await namesIn(store.packages)) {
    const staging = parseStagingName(name);
    if (!staging) continue;
    const path = join(store.packages, name);
    if (isAlive(staging.pid) && !(await isStale(path))) continue;
    await removeTree(path);
  }
}

async function isStale(path: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs > STALE_AFTER_MS;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return true;
    throw error;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

async function readManifest(file: string) {
  try {
    return bmadManifestSchema.safeParse(JSON.parse((await readFile(file, 'utf8')).replace(/^\uFEFF/, '')))
      .data;
  } catch (error) {
    if (error instanceof SyntaxError || errnoOf(error) !== undefined) return undefined;
    throw error;
  }
}
