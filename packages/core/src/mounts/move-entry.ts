/**
 * Moves or renames an entry of a mount. Never overwrites.
 */
import { readdirSync, renameSync, statSync } from 'node:fs';
import { systemError } from '../base/errno.ts';
import { foldName } from '../base/file-names.ts';
import { lstatIfPresent } from './file-identity.ts';
import type { OpenPath } from './folder-walk.ts';
import { syncFolderOf } from './replace-file.ts';

export interface NamedOpenPath extends OpenPath {
  readonly name: string;
}

/** Both paths must stay open meanwhile. Throws ENOENT if there is nothing to move, EEXIST if the new name exists. */
export async function moveEntry(from: NamedOpenPath, to: NamedOpenPath): Promise<void> {
  from.verify();
  to.verify();
  // No other code of this process runs between here and the rename.
  const moved = lstatIfPresent(from.filePath);
  if (!moved) throw systemError('ENOENT');
  const existing = lstatIfPresent(to.filePath);
  if (existing && !(isSame(moved, existing) && isOtherSpelling(from, to))) throw systemError('EEXIST');
  renameSync(from.filePath, to.filePath);
  await syncFolderOf(to);
  await syncFolderOf(from);
}

/** Whether two names refer to one directory entry, on a file system that ignores case or Unicode form. */
function isOtherSpelling(from: NamedOpenPath, to: NamedOpenPath): boolean {
  if (foldName(from.name) !== foldName(to.name)) return false;
  if (!isSame(statSync(from.folderPath, { bigint: true }), statSync(to.folderPath, { bigint: true })))
    return false;
  // On other file systems two hard links are listed as two entries.
  return !readdirSync(to.folderPath).includes(to.name);
}

function isSame(one: { dev: bigint; ino: bigint }, other: { dev: bigint; ino: bigint }): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}
