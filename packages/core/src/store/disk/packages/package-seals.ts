/**
 * Seals of installed packages on disk: the hash of every file, beside the package. A package that was installed by an earlier
 * version has no seal; it is sealed as it is when it is first used (decision 34).
 */
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FileHashes, packageSealSchema } from '@crewagent/protocol/installed-package';
import type * as z from '@crewagent/protocol/zod';
import { replaceFile } from '../../../base/durable-files.ts';
import { errnoOf, ifAllowed } from '../../../base/errno.ts';
import { remember } from '../../../base/remember.ts';
import { sha256Of } from '../../../base/sha256.ts';
import { readIfPresent } from '../../../base/small-files.ts';
import { type FileIdentity, isSameIdentity, toIdentity } from '../../../mounts/file-identity.ts';
import { damagedPackage, type PackageSeal } from '../../../mounts/package-seal.ts';
import type { StorePaths } from '../layout.ts';

interface KnownHash {
  readonly identity: FileIdentity;
  readonly sha256: string;
}

export function createPackageSeals({ packageFolder, packageSeal }: StorePaths) {
  /** By real path: what this process has hashed. */
  const known = new Map<string, KnownHash>();
  const hashOf = (file: string, identity: FileIdentity, content: Buffer): string => {
    const sha256 = sha256Of(content);
    known.set(file, { identity, sha256 });
    return sha256;
  };
  const knownHash = (file: string, identity: FileIdentity): string | undefined => {
    const found = known.get(file);
    return found && isSameIdentity(found.identity, identity) ? found.sha256 : undefined;
  };

  const write = async (hash: string, files: FileHashes, isComputed?: true): Promise<void> =>
    replaceFile(packageSeal(hash), JSON.stringify({ schemaVersion: 1, files, isComputed }));

  const load = async (hash: string) => {
    const text = readIfPresent(packageSeal(hash));
    if (text !== undefined) return parseSeal(text);
    const folder = packageFolder(hash);
    const files = Object.fromEntries(
      listFiles(folder).map((path) => [path, sha256Of(readFileSync(join(folder, path)))]),
    );
    // If it cannot be written, the next start seals it.
    await ifAllowed(write(hash, files, true));
    return { files, isComputed: true };
  };

  const open = async (hash: string): Promise<PackageSeal> => {
    const folder = packageFolder(hash);
    const expected = new Map(Object.entries((await load(hash)).files));
    const require = (path: string, sha256: string): void => {
      if (expected.get(path) !== sha256) throw damagedPackage();
    };
    const checkNames = (): void => {
      const found = listFiles(folder);
      if (found.length !== expected.size || !found.every((path) => expected.has(path)))
        throw damagedPackage();
    };
    const readChecked = (path: string, isContentNeeded: boolean): Buffer | undefined => {
      const file = join(folder, path);
      const descriptor = openInstalled(file);
      try {
        const stats = fstatSync(descriptor, { bigint: true });
        if (!stats.isFile()) throw damagedPackage();
        const identity = toIdentity(stats);
        const sha256 = knownHash(file, identity);
        const content = sha256 === undefined || isContentNeeded ? readFileSync(descriptor) : undefined;
        require(path, content ? hashOf(file, identity, content) : (sha256 ?? ''));
        return content;
      } finally {
        closeSync(descriptor);
      }
    };
    return {
      async checkFile(path, { identity, handle }) {
        const file = join(folder, path);
        require(path, knownHash(file, identity) ?? hashOf(file, identity, await handle.readFile()));
      },
      checkMissing(path) {
        if (expected.has(path)) throw damagedPackage();
      },
      checkNames,
      checkAll() {
        checkNames();
        for (const path of expected.keys()) readChecked(path, false);
      },
      read(path) {
        const content = readChecked(path, true);
        if (!content) throw new Error('the content was requested');
        return content;
      },
    };
  };

  return {
    open,
    write: (hash: string, files: FileHashes): Promise<void> => write(hash, files),
    /** Whether the package has the files that were installed. False for one that was sealed later: its files are not known. */
    async isIntact(hash: string): Promise<boolean> {
      const text = readIfPresent(packageSeal(hash));
      try {
        if (text === undefined || parseSeal(text).isComputed) return false;
        (await open(hash)).checkAll();
        return true;
      } catch {
        // Whatever is wrong with it, its files are written again.
        return false;
      }
    },
  };
}

function parseSeal(text: string) {
  try {
    return parsed(text, () => packageSealSchema.parse(JSON.parse(text)));
  } catch (error) {
    throw damagedPackage(error);
  }
}

/** Three parts of a new run read the seal of its package. */
const parsed = remember<z.infer<typeof packageSealSchema>>(16);

/** Neither follows a link nor waits for a pipe in place of the file. */
function openInstalled(file: string): number {
  try {
    return openSync(file, READ_FLAGS);
  } catch (error) {
    throw REPLACED.has(errnoOf(error) ?? '') ? damagedPackage(error) : error;
  }
}

const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const REPLACED: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK', 'ENXIO']);

/** Everything but folders, relative to `folder`. */
function listFiles(folder: string, under = ''): string[] {
  return readdirSync(join(folder, under), { withFileTypes: true }).flatMap((entry) => {
    const path = under === '' ? entry.name : `${under}/${entry.name}`;
    return entry.isDirectory() ? listFiles(folder, path) : [path];
  });
}
