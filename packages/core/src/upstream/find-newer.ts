/** Says for an installed package whether its source has something newer: another file, folder or commit than it was installed from. */
import { join } from 'node:path';
import type { InstalledPackage } from '@crewagent/protocol/installed-package';
import type { PackageOrigin } from '@crewagent/protocol/package-origin';
import { CrewError } from '../base/crew-error.ts';
import { isOnDisk } from '../base/small-files.ts';
import { hashArchive } from '../bmad/archive/archive-signature.ts';
import { compareVersions } from '../bmad/check/compare-versions.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import { listInstalled, newestOf } from '../bmad/installed-packages.ts';
import { withValidPackage } from '../bmad/load-package.ts';
import { packFolder } from '../bmad/pack-package.ts';
import { chooseVersion, readOrigin, toVersion } from '../import/earlier-import.ts';
import { loadSource } from '../import/import-source.ts';
import { listRefs } from '../sharing/git.ts';
import { findNpmVersion } from '../sharing/npm-registry.ts';
import { withAddress } from '../sharing/open-address.ts';
import { newestVersion, openIndex } from '../sharing/package-indexes.ts';
import type { Environment } from '../sharing/proxy.ts';
import { toAddress, toFollowed } from '../sharing/to-address.ts';
import type { UserStore } from '../store/store.ts';

export interface FollowDeps {
  readonly store: UserStore;
  readonly context: ValidationContext;
  /** Variables of proxies and of npm. */
  readonly env: Environment;
  readonly signal?: AbortSignal | undefined;
}

/** The newest installed version of a name, and where it can be followed. */
export interface FollowedPackage {
  readonly installed: InstalledPackage;
  /** `unknown`: it is not recorded where the package came from. */
  readonly status: 'current' | 'outdated' | 'unreachable' | 'unknown';
  /** Path or address of the source. */
  readonly source?: string | undefined;
  /** Version, or the beginning of a commit. */
  readonly available?: string | undefined;
  /** Hash of the available package, if it was read: a source may change without a new version. */
  readonly availableHash?: string | undefined;
  /** Why the source could not be read. */
  readonly problem?: string | undefined;
  readonly origin?: PackageOrigin | undefined;
  /** The newer tag of a repository. */
  readonly ref?: string | undefined;
}

export async function listFollowed(deps: FollowDeps, wanted?: string): Promise<FollowedPackage[]> {
  const byName = new Map<string, InstalledPackage[]>();
  for (const found of await listInstalled(deps.store))
    byName.set(found.name, [...(byName.get(found.name) ?? []), found]);
  if (wanted !== undefined && !byName.has(wanted))
    throw new CrewError(
      'PACKAGE_NOT_FOUND',
      `No package "${wanted}" is installed. Run "crewagent packages list" to see the installed packages.`,
    );
  const followed: FollowedPackage[] = [];
  for (const [name, versions] of byName)
    if (wanted === undefined || wanted === name) followed.push(await follow(versions, deps));
  return followed;
}

async function follow(versions: readonly InstalledPackage[], deps: FollowDeps): Promise<FollowedPackage> {
  const [first] = versions;
  if (!first) throw new Error('a name without a version');
  const installed = newestOf(versions, first);
  const recorded = await deps.store.packages.readOrigin(installed.hash);
  // The folder of an import knows where it came from itself.
  const origin =
    recorded?.place.kind === 'path' ? ((await readOrigin(recorded.place.path)) ?? recorded) : recorded;
  if (!origin) return { installed, status: 'unknown' };
  const { place } = origin;
  const source = toAddress(place);
  if (source === undefined) return { installed, status: 'unknown' };
  try {
    return { installed, source, origin, ...(await findNewer(installed, origin, deps)) };
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    return { installed, source, origin, status: 'unreachable', problem: error.message };
  }
}

type Found = Pick<FollowedPackage, 'status' | 'available' | 'availableHash' | 'ref'>;

async function findNewer(
  installed: InstalledPackage,
  origin: PackageOrigin,
  deps: FollowDeps,
): Promise<Found> {
  const { conversion } = origin;
  const found = await findNewerAt(installed, origin, deps);
  const folder = conversion?.folder;
  // Edits of a person in the folder of an import are something newer as well.
  return found.status === 'current' && folder !== undefined && isOnDisk(join(folder, 'bmad.json'))
    ? findChangedPackage(installed, folder, deps)
    : found;
}

const CURRENT: Found = { status: 'current' };

async function findNewerAt(
  installed: InstalledPackage,
  { place, conversion, ...origin }: PackageOrigin,
  deps: FollowDeps,
): Promise<Found> {
  switch (place.kind) {
    case 'git':
      return findNewerCommit(place, deps);
    case 'path':
      return conversion
        ? findChangedSource(installed, { ...origin, place, conversion })
        : findChangedPackage(installed, place.path, deps);
    case 'url':
      return withAddress(place.url, deps, ({ path }) => findChangedPackage(installed, path, deps));
    case 'npm':
      return toFound(installed, (await findNpmVersion(toFollowed(place), deps)).version);
    case 'index': {
      const { packages } = await openIndex(place.url, deps);
      const versions = packages.find(({ name }) => name === place.name)?.versions ?? [];
      return toFound(installed, newestVersion(versions)?.version);
    }
    case 'upload':
      return CURRENT;
  }
}

function toFound({ version }: InstalledPackage, available: string | undefined): Found {
  const isNewer = available !== undefined && compareVersions(available, version) > 0;
  return isNewer ? { status: 'outdated', available } : CURRENT;
}

async function findNewerCommit(
  { url, ref, commit }: Extract<PackageOrigin['place'], { kind: 'git' }>,
  { store, signal }: FollowDeps,
): Promise<Found> {
  const scratch = await store.packages.makeScratch();
  try {
    const refs = await listRefs({ url, ref }, { cwd: scratch.path, signal });
    const version = toVersion(ref);
    const newest = version === undefined ? undefined : newestTag(refs, version);
    if (newest !== undefined) return { status: 'outdated', available: toVersion(newest), ref: newest };
    const names = ref === undefined ? ['HEAD'] : [`refs/tags/${ref}`, `refs/heads/${ref}`];
    const now = names.map((name) => refs.get(name)).find((id) => id !== undefined);
    // A commit that was asked for by its id stays.
    return now === undefined || now === commit
      ? CURRENT
      : { status: 'outdated', available: now.slice(0, 10) };
  } finally {
    await scratch.remove();
  }
}

function newestTag(refs: ReadonlyMap<string, string>, version: string): string | undefined {
  const tags = [...refs.keys()].flatMap((name) => /^refs\/tags\/(v?\d+\.\d+\.\d+)$/.exec(name)?.[1] ?? []);
  const [newest] = tags.toSorted((a, b) => compareVersions(toVersion(b) ?? '', toVersion(a) ?? ''));
  return newest !== undefined && compareVersions(toVersion(newest) ?? '', version) > 0 ? newest : undefined;
}

async function findChangedSource(
  { version }: InstalledPackage,
  { place, sha256: before }: PackageOrigin & { place: { kind: 'path'; path: string } },
): Promise<Found> {
  const tree = await loadSource(place.path, undefined);
  const sha256 = tree.sha256();
  if (sha256 === before) return CURRENT;
  const earlier = { imported: version, edited: version, sha256: before };
  return { status: 'outdated', available: chooseVersion(tree, { earlier, place, sha256 }) };
}

/** A package by its path: packed, it would have another hash. */
async function findChangedPackage(
  { hash }: InstalledPackage,
  path: string,
  { store, context }: FollowDeps,
): Promise<Found> {
  const scratch = await store.packages.makeScratch();
  try {
    const packed = await withValidPackage(path, context, async ({ archive }, { manifest }) => ({
      version: manifest.version,
      sha256: archive
        ? await hashArchive(archive.handle)
        : (await packFolder(path, join(scratch.path, 'package.bmad'), context, { isPrivate: true })).sha256,
    }));
    const { version: available, sha256: availableHash } = packed;
    return availableHash === hash ? CURRENT : { status: 'outdated', available, availableHash };
  } finally {
    await scratch.remove();
  }
}
