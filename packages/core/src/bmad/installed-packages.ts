/**
 * The packages in the store: list, resolve a name, remove.
 */
import { join } from 'node:path';
import type { About } from '@crewagent/protocol/about';
import { type BmadManifest, bmadManifestSchema } from '@crewagent/protocol/bmad';
import type { InstalledPackage } from '@crewagent/protocol/installed-package';
import { compareTexts } from '../base/compare-texts.ts';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf, withDiskErrors } from '../base/errno.ts';
import { mapLimit } from '../base/map-limit.ts';
import { remember } from '../base/remember.ts';
import { readIfPresent } from '../base/small-files.ts';
import type { PackageStore, StoredPackage } from '../store/package-store.ts';
import type { UserStore } from '../store/store.ts';
import { compareVersions } from './check/compare-versions.ts';
import { parseAbout } from './check/read-about.ts';

/** All installed packages, by name, then newest first. `isChecked`: says which ones are damaged, which reads all their files. */
export async function listInstalled(
  store: Pick<UserStore, 'packages'>,
  { isChecked = false } = {},
): Promise<InstalledPackage[]> {
  const installed = await readInstalled(store, isChecked);
  return installed.sort((a, b) => a.name.localeCompare(b.name));
}

/** Newest first. Not by name: the first comparison of names by language takes 13 ms. */
async function readInstalled(
  { packages }: Pick<UserStore, 'packages'>,
  isChecked: boolean,
): Promise<InstalledPackage[]> {
  return withDiskErrors('Could not read the installed packages', async () => {
    const found = await packages.list();
    const installed = await mapLimit(found, 4, async (each) => ({
      ...(await toInstalled(packages, each)),
      isDamaged: (isChecked && (await isDamaged(packages, each.hash))) || undefined,
    }));
    return installed.sort((a, b) => compareTexts(b.installedAt, a.installedAt));
  });
}

async function isDamaged(packages: PackageStore, hash: string): Promise<boolean> {
  try {
    (await packages.seal(hash)).checkAll();
    return false;
  } catch (error) {
    if (error instanceof CrewError && error.code === 'PACKAGE_DAMAGED') return true;
    throw error;
  }
}

export async function toInstalled(
  packages: PackageStore,
  { hash, installedAt }: StoredPackage,
): Promise<InstalledPackage> {
  const manifest = readJsonFile(join(packages.folder(hash), 'bmad.json'), (text) =>
    parsedManifest(text, () => bmadManifestSchema.safeParse(toValue(text)).data),
  );
  if (!manifest) return { hash, name: '(damaged)', version: '?', installedAt };
  const { name, version, description } = manifest;
  const title = readInstalledAbout(packages, hash)?.title;
  return { hash, name, version, title, description, installedAt };
}

/** Finds the package by hash, hash prefix, name, or name@version. `isNewest`: a name means its newest version. */
export async function resolveInstalled(
  store: Pick<UserStore, 'packages'>,
  ref: string,
  { isNewest = false } = {},
): Promise<InstalledPackage> {
  const wanted = ref.trim();
  // A server names packages by their hash: no need to read the others.
  const exact = /^[0-9a-f]{64}$/.test(wanted) ? await store.packages.find(wanted) : undefined;
  if (exact) return toInstalled(store.packages, exact);
  const matches = (await readInstalled(store, false)).filter(
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
  if (isNewest && matches.every(({ name }) => name === wanted)) return newestOf(matches, first);
  if (matches.length > 1) {
    const choices = matches.map(({ hash, name, version }) => `${name}@${version} (${hash.slice(0, 12)})`);
    throw new CrewError(
      'PACKAGE_AMBIGUOUS',
      `"${ref}" matches ${matches.length} installed packages: ${choices.join(', ')}. Use the id in brackets.`,
    );
  }
  return first;
}

/** Of the same version, the one that was installed last; `listed` has it first. */
export function newestOf(listed: readonly InstalledPackage[], first: InstalledPackage): InstalledPackage {
  return listed.reduce(
    (best, next) => (compareVersions(next.version, best.version) > 0 ? next : best),
    first,
  );
}

/** Removes a package. Throws while an unfinished run needs it, unless forced. */
export async function removeInstalled(
  store: Pick<UserStore, 'packages'>,
  ref: string,
  options: { force?: boolean } = {},
): Promise<InstalledPackage> {
  const found = await resolveInstalled(store, ref);
  const action = `Could not remove ${found.name}@${found.version}`;
  if (!options.force) await withDiskErrors(action, () => requireUnused(store.packages, found));
  await withDiskErrors(action, () => store.packages.remove(found.hash));
  return found;
}

async function requireUnused(
  packages: PackageStore,
  { hash, name, version }: InstalledPackage,
): Promise<void> {
  const { runs, conversations } = await packages.users(hash);
  const refuse = (count: number, needed: string, end: string, details: Record<string, unknown>): CrewError =>
    new CrewError(
      'PACKAGE_IN_USE',
      `${name}@${version} is needed by ${needed}. ${end} or delete ${count === 1 ? 'it' : 'them'} first, or remove the package with --force.`,
      { details },
    );
  if (runs.length > 0) {
    const needed = runs.length === 1 ? 'an unfinished run' : `${runs.length} unfinished runs`;
    throw refuse(runs.length, needed, 'Finish', { runs });
  }
  if (conversations.length > 0) {
    const needed = conversations.length === 1 ? 'a conversation' : `${conversations.length} conversations`;
    throw refuse(conversations.length, `${needed} with one of its agents`, 'Archive', { conversations });
  }
}

/** Of an installed package; undefined if there is none. */
export function readInstalledAbout(packages: PackageStore, hash: string): About | undefined {
  return readJsonFile(join(packages.folder(hash), 'about.json'), (text) =>
    parsedAbout(text, () => parseAbout(toValue(text)).about),
  );
}

function readJsonFile<T>(file: string, parse: (text: string) => T): T | undefined {
  try {
    const text = readIfPresent(file);
    return text === undefined ? undefined : parse(text);
  } catch (error) {
    if (error instanceof SyntaxError || errnoOf(error) !== undefined) return undefined;
    throw error;
  }
}

/** A new run of an installed package reads its manifest. */
const parsedManifest = remember<BmadManifest | undefined>(16);
const parsedAbout = remember<About>(16);

function toValue(text: string): unknown {
  return JSON.parse(text.replace(/^\uFEFF/, ''));
}
