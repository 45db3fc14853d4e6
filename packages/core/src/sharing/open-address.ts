/**
 * Finds the package that an address means and makes it a file on this machine, for the time of its use: a path, an address of an
 * archive, a git repository, an npm package, or a name in an index. Fetches only; nothing of what arrives is executed.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseObject } from '@crewagent/protocol/json-object';
import type { PackagePlace } from '@crewagent/protocol/package-origin';
import { type PackageSignature, packageSignatureSchema } from '@crewagent/protocol/package-signature';
import { CrewError } from '../base/crew-error.ts';
import { ifPresent, withDiskErrors } from '../base/errno.ts';
import { METHOD_FILE } from '../base/method-file.ts';
import { isOnDisk } from '../base/small-files.ts';
import { withSignature } from '../bmad/archive/archive-signature.ts';
import { LIMITS } from '../bmad/archive/entry-rules.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import { packFolder } from '../bmad/pack-package.ts';
import { BUNDLE_ENDING, MAX_BUNDLE_BYTES, proveIdentity } from '../bmad/signing/read-identity.ts';
import type { UserStore } from '../store/store.ts';
import { fetchBytes, unreachable } from './fetch-bytes.ts';
import { fetchRepository } from './git.ts';
import { parseGitAddress } from './git-address.ts';
import { fetchProvenance, fetchTarball, findNpmVersion, parseNpmAddress } from './npm-registry.ts';
import { findInIndexes, parseNameAddress } from './package-indexes.ts';
import type { Environment } from './proxy.ts';
import { unpackTarball } from './unpack-tarball.ts';

export interface SharingDeps {
  readonly store: UserStore;
  readonly context: ValidationContext;
  /** Variables of proxies and of npm. */
  readonly env: Environment;
  readonly signal?: AbortSignal | undefined;
}

export interface OpenAddress {
  /** Of an archive; of an archive or a folder if a path was given. */
  readonly path: string;
  readonly place: PackagePlace;
  /** What the package must have, as its index says. */
  readonly sha256?: string | undefined;
  /** Who is proved to have built the tarball that it came in. */
  readonly identity?: string | undefined;
}

/** The file that a package in git carries its signature in. */
export const SIGNATURE_FILE = '.crewagent-signature.json';

export async function withAddress<T>(
  address: string,
  deps: SharingDeps,
  use: (opened: OpenAddress) => Promise<T>,
): Promise<T> {
  const kind = kindOf(address);
  if (kind === 'path') return use({ path: address, place: { kind, path: resolve(address) } });
  const scratch = await withDiskErrors(`Could not fetch "${address}"`, () =>
    deps.store.packages.makeScratch(),
  );
  try {
    return await use(await OPENERS[kind](address, scratch.path, deps));
  } finally {
    await scratch.remove();
  }
}

type Kind = 'path' | 'url' | 'git' | 'npm' | 'name';

function kindOf(address: string): Kind {
  if (address.startsWith('npm:')) return 'npm';
  if (/^git\+|^(?:ssh|git):\/\/|^git@[\w.-]+:/.test(address)) return 'git';
  if (/^[a-z][\w+.-]+:\/\//i.test(address)) return 'url';
  return !isOnDisk(address) && parseNameAddress(address) ? 'name' : 'path';
}

type Opener = (address: string, scratch: string, deps: SharingDeps) => Promise<OpenAddress>;

const OPENERS: Readonly<Record<Exclude<Kind, 'path'>, Opener>> = {
  async url(address, scratch, deps) {
    const url = toUrl(address);
    return { path: await download(url, scratch, deps), place: { kind: 'url', url: url.href } };
  },
  async git(address, scratch, deps) {
    const { url, ref } = parseGitAddress(address.replace(/^git\+/, ''));
    const folder = join(scratch, 'repository');
    await mkdir(folder);
    const commit = await fetchRepository({ url, ref }, folder, deps);
    return { path: await locate(folder, scratch, address, deps), place: { kind: 'git', url, ref, commit } };
  },
  async npm(address, scratch, deps) {
    const { name, wanted } = parseNpmAddress(address.slice('npm:'.length));
    const version = await findNpmVersion({ name, wanted }, deps);
    const folder = join(scratch, 'tarball');
    const tarball = await fetchTarball(name, version, deps);
    const provenance = await fetchProvenance(name, version, deps);
    const identity =
      provenance === undefined ? undefined : await proveIdentity(provenance, tarball, deps.store.packages);
    await unpackTarball(tarball, folder, `${name}@${version.version}`);
    const path = await locate(folder, scratch, address, deps);
    return { path, place: { kind: 'npm', name, wanted }, identity };
  },
  async name(address, scratch, deps) {
    const { index, indexed, version } = await findInIndexes(address, deps);
    const { sha256 } = version;
    const file = index.resolve(version.url);
    const place = { kind: 'index', url: index.address, name: indexed.name } as const;
    if (typeof file === 'string') return { path: file, place, sha256 };
    return { path: await download(file, scratch, deps, index.url), place, sha256 };
  },
};

function toUrl(address: string): URL {
  if (URL.canParse(address)) return new URL(address);
  throw new CrewError('USAGE', `"${address.slice(0, 200)}" is not an address.`);
}

async function download(
  url: URL,
  scratch: string,
  { env, signal }: SharingDeps,
  from?: URL,
): Promise<string> {
  const { status, body } = await fetchBytes(url, { maxBytes: LIMITS.archiveBytes, env, signal, from });
  if (status === 404) throw unreachable(url, 'does not exist. Check the address');
  if (status !== 200) throw unreachable(url, `answers with status ${status}`);
  const path = join(scratch, 'package.bmad');
  await writeFile(path, body, { flag: 'wx', mode: 0o600 });
  const bundle = new URL(url);
  bundle.pathname += BUNDLE_ENDING;
  const signed = await fetchBytes(bundle, { maxBytes: MAX_BUNDLE_BYTES, env, signal, from: from ?? url });
  // Some servers answer every address with a page. A bundle that is gone is noticed by whoever installed a signed version before.
  if (signed.status === 200 && parseObject(signed.body.toString('utf8')))
    await writeFile(`${path}${BUNDLE_ENDING}`, signed.body, { flag: 'wx', mode: 0o600 });
  return path;
}

/** The package in a fetched folder: the folder itself, else its only archive. */
async function locate(folder: string, scratch: string, shown: string, deps: SharingDeps): Promise<string> {
  const names = (await ifPresent(readdir(folder))) ?? [];
  const archives = names.filter((name) => /\.bmad$/i.test(name));
  const [only] = archives;
  if (!names.includes('bmad.json') && !names.includes(METHOD_FILE)) {
    if (only !== undefined && archives.length === 1) return join(folder, only);
    throw new CrewError(
      'PACKAGE_INVALID',
      `"${shown}" has no package: neither a bmad.json, a ${METHOD_FILE} nor exactly one .bmad file is at its top.`,
    );
  }
  const path = join(scratch, 'package.bmad');
  await packFolder(folder, path, deps.context, { isPrivate: true });
  const signature = await readSignatureFile(join(folder, SIGNATURE_FILE));
  if (signature) await writeFile(path, withSignature(await readFile(path), signature));
  return path;
}

async function readSignatureFile(file: string): Promise<PackageSignature | undefined> {
  const text = await ifPresent(readFile(file, 'utf8'));
  if (text === undefined) return undefined;
  const { data } = packageSignatureSchema.safeParse(parseObject(text));
  if (data) return data;
  throw new CrewError(
    'SIGNATURE_INVALID',
    'The signature in the repository cannot be read. Tell its author.',
  );
}
