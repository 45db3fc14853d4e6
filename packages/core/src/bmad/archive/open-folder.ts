/**
 * Reads an unpacked package from a folder, under the same rules as an archive. Follows no links, writes nothing.
 */
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  open as openWithCallback,
  readdir as readdirWithCallback,
  readFileSync,
  readFile as readFileWithCallback,
} from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { errnoSentence, ifSystemAllows } from '../../base/errno.ts';
import { isIgnoredName } from '../../base/ignored-names.ts';
import { METHOD_FILE } from '../../base/method-file.ts';
import { parseStagingName } from '../../base/staging.ts';
import type { Findings } from '../findings/findings.ts';
import { addTooManyEntries, checkEntries, type EntryFacts, LIMITS } from './entry-rules.ts';
import { DamagedFile, type PackageFiles } from './package-files.ts';

// The callback versions take half the time of the promise versions, which matters for packages with many small steps.
const readdir = promisify<string, { withFileTypes: true }, Dirent[]>(readdirWithCallback);
const open = promisify<string, number, number>(openWithCallback);
const readFile = promisify<number, Buffer>(readFileWithCallback);

// Windows has neither flag.
const NO_FOLLOW = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Up to this size reading takes less time than asking the thread pool for it. */
const SMALL_BYTES = 65_536;

/** The folder's files; undefined, with findings, if the folder must not be used. */
export async function readFolder(
  root: string,
  findings: Findings,
  { exclude, isInstalled = false }: { exclude?: string; isInstalled?: boolean } = {},
): Promise<PackageFiles | undefined> {
  const excluded = exclude === undefined ? undefined : relative(root, exclude);
  const isOther = isInstalled ? () => false : isLeftover;
  const entries = await listFolder(
    root,
    LIMITS.entries,
    (path, entry) => isSkipped(path, entry) || path === excluded || isOther(path),
  );
  // A folder that is not a package is reported as such, whatever else it contains.
  const isPackage = ['bmad.json', METHOD_FILE].some(
    (name) => lstatSync(join(root, name), { throwIfNoEntry: false }) !== undefined,
  );
  if (isPackage && entries.length > LIMITS.entries) addTooManyEntries(findings);
  else if (isPackage) checkEntries(entries, findings);
  if (findings.hasErrors) return undefined;
  const paths = new Set(entries.filter((entry) => entry.kind === 'file').map((entry) => entry.name));
  return {
    paths,
    async read(path) {
      if (!paths.has(path)) throw new DamagedFile(`there is no file "${path}"`);
      return readPlainFile(root, path, LIMITS.fileBytes);
    },
  };
}

type IsExcluded = (path: string, entry: Dirent) => boolean;

/** Everything below a folder, at most one entry more than the limit. */
export async function listFolder(root: string, limit: number, isExcluded: IsExcluded): Promise<EntryFacts[]> {
  const found: { name: string; kind: EntryFacts['kind'] }[] = [];
  const pending = [''];
  for (let folder = pending.pop(); folder !== undefined && found.length <= limit; folder = pending.pop()) {
    const listed = await readdir(join(root, folder), { withFileTypes: true });
    for (const entry of listed.filter((one) => !isExcluded(folder + one.name, one))) {
      const name = folder + entry.name;
      if (entry.isDirectory()) {
        found.push({ name: `${name}/`, kind: 'folder' });
        pending.push(`${name}/`);
      } else {
        found.push({ name, kind: entry.isSymbolicLink() ? 'link' : entry.isFile() ? 'file' : 'special' });
      }
      if (found.length > limit) break;
    }
  }
  return found.map(({ name, kind }) => ({
    name,
    kind,
    bytes: kind === 'file' ? sizeOf(join(root, name)) : 0,
  }));
}

/** What editors, and runs in the folder of the package, leave there. */
function isLeftover(path: string): boolean {
  return path.endsWith('~') || path === 'artifacts';
}

/** Artifacts of systems and tools, our own temp files, and earlier archives at the top level. */
function isSkipped(path: string, entry: Dirent): boolean {
  if (isIgnoredName(entry.name) || parseStagingName(entry.name)) return true;
  return path === entry.name && entry.isFile() && /\.bmad$/i.test(path);
}

/** Zero for a file that cannot be examined: reading it gives the error, for this file only. */
function sizeOf(path: string): number {
  return ifSystemAllows(() => lstatSync(path).size) ?? 0;
}

/** Throws `DamagedFile`, also for a file that grew after the listing. Does not follow a link that replaced it. */
export async function readPlainFile(root: string, path: string, maxBytes: number): Promise<Buffer> {
  try {
    const descriptor = await open(join(root, path), constants.O_RDONLY | NO_FOLLOW);
    try {
      const { size } = fstatSync(descriptor);
      if (size > maxBytes) throw new DamagedFile(`"${path}" grew while it was read`);
      return size <= SMALL_BYTES ? readFileSync(descriptor) : await readFile(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const sentence = errnoSentence(error);
    if (sentence === undefined) throw error;
    throw new DamagedFile(`"${path}" cannot be read: ${sentence}`, { cause: error });
  }
}
