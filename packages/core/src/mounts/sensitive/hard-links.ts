/**
 * Finds out whether a file with several names is a secret file under another name. Names of folders that did not change
 * are remembered, so that only the first check reads the whole project.
 */
import { type BigIntStats, type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../base/errno.ts';
import { nextTurn } from '../open-path.ts';
import type { IsSecret } from './secret-files.ts';

export type IsSecretLink = (file: Pick<BigIntStats, 'dev' | 'ino'>) => Promise<boolean>;

interface KnownFolder {
  readonly stamp: string;
  readonly folders: readonly string[];
  /** Identities of the secret files in the folder. */
  readonly secrets: readonly string[];
}

/** Larger projects are checked as far as this; contents are masked anyway. */
const MAX_FOLDERS = 20_000;
const FOLDERS_PER_TURN = 200;
/** A folder that changed just now may change again without getting another date. */
const SETTLED_MS = 1_000;
/** Their files are copies of published packages, and objects of git. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git']);

export function createHardLinkCheck(root: string, isSecret: IsSecret): IsSecretLink {
  let known = new Map<string, KnownFolder>();
  return async (file) => {
    const wanted = identityOf(file);
    const seen = new Map<string, KnownFolder>();
    const pending: (readonly string[])[] = [[]];
    let isFound = false;
    for (let next = pending.pop(); next && seen.size < MAX_FOLDERS; next = pending.pop()) {
      const segments = next;
      const key = segments.join('/');
      const folder = readFolder(join(root, key), known.get(key), (name) =>
        isSecret([...segments, name], true),
      );
      if (!folder) continue;
      seen.set(key, folder);
      isFound ||= folder.secrets.includes(wanted);
      pending.push(...folder.folders.map((name) => [...segments, name]));
      if (seen.size % FOLDERS_PER_TURN === 0) await nextTurn();
    }
    known = seen;
    return isFound;
  };
}

function readFolder(
  path: string,
  previous: KnownFolder | undefined,
  isSecretName: (name: string) => boolean,
): KnownFolder | undefined {
  try {
    const stats = lstatSync(path, { bigint: true });
    const isSettled = Date.now() - Number(stats.mtimeMs) > SETTLED_MS;
    const stamp = isSettled ? `${identityOf(stats)}:${stats.mtimeNs}` : '';
    if (stamp !== '' && previous?.stamp === stamp) return previous;
    const entries: readonly Dirent[] = readdirSync(path, { withFileTypes: true });
    const secrets = entries.filter((entry) => entry.isFile() && isSecretName(entry.name));
    return {
      stamp,
      folders: entries
        .filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name))
        .map(({ name }) => name),
      secrets: secrets.flatMap(({ name }) => {
        const found = lstatSync(join(path, name), { bigint: true, throwIfNoEntry: false });
        return found ? [identityOf(found)] : [];
      }),
    };
  } catch (error) {
    // Removed meanwhile, or not readable: then no tool reads it either.
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

function identityOf({ dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`;
}
