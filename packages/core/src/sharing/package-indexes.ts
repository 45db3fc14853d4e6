/** Indexes that a person added: reading them, searching, and finding a package by its name. */
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import {
  type IndexedPackage,
  type IndexedVersion,
  type PackageIndex,
  packageIndexSchema,
} from '@crewagent/protocol/package-index';
import { CrewError } from '../base/crew-error.ts';
import { ifPresent, withDiskErrors } from '../base/errno.ts';
import { nameDanger } from '../bmad/archive/entry-rules.ts';
import { compareVersions } from '../bmad/check/compare-versions.ts';
import { satisfies } from '../bmad/check/version-range.ts';
import { changeSharing, readSharing } from '../bmad/signing/signers.ts';
import type { UserStore } from '../store/store.ts';
import { fetchBytes, unreachable } from './fetch-bytes.ts';
import type { Environment } from './proxy.ts';

export interface IndexDeps {
  readonly store: Pick<UserStore, 'packages'>;
  readonly env: Environment;
  readonly signal?: AbortSignal | undefined;
}

export interface OpenIndex {
  /** As it is stored. */
  readonly address: string;
  /** Undefined for an index on this machine. */
  readonly url: URL | undefined;
  readonly packages: PackageIndex['packages'];
  /** Address or path of a file beside the index. */
  resolve(file: string): URL | string;
}

const MAX_BYTES = 16 * 1_048_576;
export const INDEX_NAME = 'index.json';

/** A folder means its `index.json`. */
export async function openIndex(
  address: string,
  { env, signal }: Omit<IndexDeps, 'store'>,
): Promise<OpenIndex> {
  const url = /^https?:\/\//.test(address) && URL.canParse(address) ? new URL(address) : undefined;
  if (!url) return openIndexFile(address);
  const { status, body } = await fetchBytes(url, { env, signal, maxBytes: MAX_BYTES });
  if (status !== 200) throw unreachable(url, `answers with status ${status}`);
  return {
    address,
    url,
    packages: parseIndex(body.toString(), address).packages,
    resolve: (file) => {
      if (URL.canParse(file, url.href)) return new URL(file, url);
      throw badIndex(address, 'it has an invalid address');
    },
  };
}

async function openIndexFile(path: string): Promise<OpenIndex> {
  const file = toIndexFile(path);
  const text = await withDiskErrors(`Could not read "${file}"`, () => ifPresent(readFile(file, 'utf8')));
  if (text === undefined) throw new CrewError('USAGE', `There is no index of packages at "${file}".`);
  return {
    address: path,
    url: undefined,
    packages: parseIndex(text, path).packages,
    resolve(name) {
      if (/^https:\/\//.test(name) && URL.canParse(name)) return new URL(name);
      const danger = nameDanger(name);
      if (danger !== undefined) throw badIndex(path, `a file of it has a name that ${danger}`);
      return join(dirname(file), name);
    },
  };
}

function toIndexFile(path: string): string {
  return path.endsWith('.json') ? path : join(path, INDEX_NAME);
}

export function parseIndex(text: string, address: string): PackageIndex {
  try {
    const { data } = packageIndexSchema.safeParse(JSON.parse(text));
    if (data) return data;
  } catch {
    // Reported below.
  }
  throw badIndex(address, 'it is not JSON of this kind');
}

function badIndex(address: string, reason: string): CrewError {
  return new CrewError(
    'PACKAGE_UNREACHABLE',
    `"${address.slice(0, 200)}" is not an index of packages: ${reason}.`,
  );
}

/** Reads the index first, so that only one that works is added. */
export async function addIndex(given: string, deps: IndexDeps): Promise<OpenIndex> {
  const address = /^[a-z][\w+.-]+:\/\//i.test(given) || isAbsolute(given) ? given : resolve(given);
  const index = await openIndex(address, deps);
  const isKnown = (other: string): boolean =>
    other === address || (!index.url && toIndexFile(other) === toIndexFile(address));
  await changeSharing(deps.store.packages.sharing, ({ indexes }) =>
    indexes.some(isKnown) ? undefined : { indexes: [...indexes, address] },
  );
  return index;
}

export async function listIndexes({ store }: Pick<IndexDeps, 'store'>): Promise<readonly string[]> {
  return (await readSharing(store.packages.sharing)).indexes;
}

export async function removeIndex(given: string, deps: Pick<IndexDeps, 'store'>): Promise<void> {
  const wanted = new Set([given, resolve(given)]);
  const known = await listIndexes(deps);
  if (!known.some((address) => wanted.has(address)))
    throw new CrewError('USAGE', `"${given}" is not one of your indexes. See: crewagent packages index list`);
  await changeSharing(deps.store.packages.sharing, ({ indexes }) => ({
    indexes: indexes.filter((address) => !wanted.has(address)),
  }));
}

/** `name`: of the package that is wanted. */
async function openIndexes(deps: IndexDeps, name?: string): Promise<OpenIndex[]> {
  const addresses = await listIndexes(deps);
  const missing = name === undefined ? '' : `There is no file or folder "${name}". `;
  if (addresses.length === 0)
    throw new CrewError(
      'PACKAGE_NOT_FOUND',
      `${missing}To find packages by name, add an index: crewagent packages index add URL`,
    );
  const opened: OpenIndex[] = [];
  for (const address of addresses) opened.push(await openIndex(address, deps));
  return opened;
}

export interface FoundInIndex {
  readonly index: OpenIndex;
  readonly indexed: IndexedPackage;
  readonly version: IndexedVersion;
}

/** Packages that have all the words, in their name first. */
export async function searchIndexes(words: readonly string[], deps: IndexDeps): Promise<FoundInIndex[]> {
  const wanted = words.map((word) => word.toLowerCase());
  const found: (FoundInIndex & { readonly rank: number })[] = [];
  for (const index of await openIndexes(deps)) {
    for (const indexed of index.packages) {
      const { name, description = '', about = {} } = indexed;
      const text = [name, about.title, description, ...(about.keywords ?? [])].join('\n').toLowerCase();
      const version = newestVersion(indexed.versions);
      if (version && wanted.every((word) => text.includes(word)))
        found.push({ index, indexed, version, rank: wanted.filter((word) => name.includes(word)).length });
    }
  }
  return found.toSorted((one, other) => other.rank - one.rank).map(({ rank: _, ...each }) => each);
}

/** Of the same number, the first. A version with a dash comes before the one without. */
export function newestVersion(versions: readonly IndexedVersion[]): IndexedVersion | undefined {
  return versions.toSorted(
    (one, other) =>
      compareVersions(other.version, one.version) ||
      Number(one.version.includes('-')) - Number(other.version.includes('-')),
  )[0];
}

/** `NAME` or `NAME@VERSION`; undefined for what looks like a path. */
export function parseNameAddress(text: string): { name: string; wanted: string | undefined } | undefined {
  const [, name, wanted] = /^([^\s@/\\:]{1,100})(?:@([\w.+^~*<>=-]{1,100}))?$/.exec(text) ?? [];
  return name === undefined || name.startsWith('.') || /\.(?:bmad|zip|md)$/i.test(name)
    ? undefined
    : { name, wanted };
}

export async function findInIndexes(address: string, deps: IndexDeps): Promise<FoundInIndex> {
  const { name, wanted } = parseNameAddress(address) ?? { name: address, wanted: undefined };
  const found = (await openIndexes(deps, name)).flatMap((index) =>
    index.packages.filter((one) => one.name === name).map((indexed) => ({ index, indexed })),
  );
  if (found.length === 0)
    throw new CrewError(
      'PACKAGE_NOT_FOUND',
      `No index has a package "${name}", and there is no such file or folder. Look for it with: crewagent packages search`,
    );
  const isWanted = ({ version }: IndexedVersion): boolean =>
    wanted === undefined || version === wanted || satisfies(version, wanted) === true;
  const versions = found.map(({ indexed }) => newestVersion(indexed.versions.filter(isWanted)));
  // A copy of an index has the same files.
  if (new Set(versions.map((version) => version?.sha256)).size > 1)
    throw new CrewError(
      'PACKAGE_AMBIGUOUS',
      `Several indexes have a package "${name}": ${found.map(({ index }) => index.address).join(', ')}. Give the address of the one you want.`,
    );
  const [[first], [version]] = [found, versions];
  if (!first || !version)
    throw new CrewError('PACKAGE_NOT_FOUND', `The index has no version ${wanted ?? ''} of "${name}".`);
  return { ...first, version };
}
