/**
 * Gives something in a mount another name or folder. Never puts it over anything.
 */
import { readdirSync, renameSync, statSync } from 'node:fs';
import { foldName } from '../base/file-names.ts';
import { lstatIfPresent } from './file-identity.ts';
import type { OpenPath } from './folder-walk.ts';
import { syncFolderOf } from './replace-file.ts';
import { systemError } from './tree-entry.ts';

export interface NamedOpenPath extends OpenPath {
  readonly name: string;
}

/** Both places must stay open meanwhile. Throws ENOENT when there is nothing to move, EEXIST when the new name is taken. */
export async function moveEntry(from: NamedOpenPath, to: NamedOpenPath): Promise<void> {
  from.verify();
  to.verify();
  // From here to the rename nothing else runs in this process.
  const moved = lstatIfPresent(from.filePath);
  if (!moved) throw systemError('ENOENT');
  const existing = lstatIfPresent(to.filePath);
  if (existing && !(isSame(moved, existing) && isOtherSpelling(from, to))) throw systemError('EEXIST');
  renameSync(from.filePath, to.filePath);
  await syncFolderOf(to);
  await syncFolderOf(from);
}

/** Whether two names of one file are one entry: on a disk that ignores letter case or Unicode form. */
function isOtherSpelling(from: NamedOpenPath, to: NamedOpenPath): boolean {
  if (foldName(from.name) !== foldName(to.name)) return false;
  if (!isSame(statSync(from.folderPath, { bigint: true }), statSync(to.folderPath, { bigint: true })))
    return false;
  // Two names of one file lie side by side on other disks: they are two entries.
  return !readdirSync(to.folderPath).includes(to.name);
}

function isSame(one: { dev: bigint; ino: bigint }, other: { dev: bigint; ino: bigint }): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}
