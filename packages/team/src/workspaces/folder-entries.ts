/** What is in a folder, read without opening or following anything. */
import { type BigIntStats, constants, lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentOf } from './project-tree.ts';

export interface Found {
  readonly kind: 'file' | 'link' | 'folder' | 'other';
  readonly identity: string;
  readonly bytes: number;
  readonly isExecutable: boolean;
  readonly changedNs: bigint;
}

/** Every entry below the folder, parents before children. Links are not followed. */
export async function findEntries(folder: string): Promise<Map<string, Found>> {
  const found = new Map<string, Found>();
  const pending = [''];
  let turnStart = performance.now();
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const prefix = at === '' ? '' : `${at}/`;
    for (const name of await readdir(join(folder, at))) {
      const path = prefix + name;
      const stats = lstatSync(`${folder}/${path}`, { bigint: true, throwIfNoEntry: false });
      if (!stats) continue;
      const entry = toFound(stats);
      found.set(path, entry);
      if (entry.kind === 'folder') pending.push(path);
    }
    if (performance.now() - turnStart < 8) continue;
    await nextTurn();
    turnStart = performance.now();
  }
  return found;
}

/** Those of the paths that are there. */
export function statEntries(folder: string, paths: ReadonlySet<string>): Map<string, Found> {
  const found = new Map<string, Found>();
  for (const path of paths) {
    const above = found.get(parentOf(path));
    // Below a file, the system reports another error than for a missing entry.
    if (above && above.kind !== 'folder') continue;
    const stats = lstatSync(`${folder}/${path}`, { bigint: true, throwIfNoEntry: false });
    if (stats) found.set(path, toFound(stats));
  }
  return found;
}

function toFound(stats: BigIntStats): Found {
  const mode = Number(stats.mode);
  return {
    kind: KINDS.get(mode & constants.S_IFMT) ?? 'other',
    identity: toIdentity(stats),
    bytes: Number(stats.size),
    isExecutable: (mode & 0o100) !== 0,
    changedNs: stats.ctimeNs,
  };
}

const KINDS = new Map<number, Found['kind']>([
  [constants.S_IFREG, 'file'],
  [constants.S_IFLNK, 'link'],
  [constants.S_IFDIR, 'folder'],
]);

function toIdentity({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

export function identityAt(path: string): string {
  return toIdentity(lstatSync(path, { bigint: true }));
}
