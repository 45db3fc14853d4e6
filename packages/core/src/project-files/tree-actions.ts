/**
 * A user's changes to the project tree: creating folders, moving and removing entries. Each is validated first and can
 * be undone.
 */
import type { TreeChange } from '@crewagent/protocol/file-journal';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf, systemError } from '../base/errno.ts';
import { formatMountPath, type MountPath } from '../mounts/mount-path.ts';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import type { IsSecret } from '../mounts/sensitive/secret-files.ts';
import type { TreeEntry } from '../mounts/tree-entry.ts';
import { alreadyExists, denied, notFound } from './file-errors.ts';
import { checkNewName, isAtOrAbove, nameOf, parentOf } from './project-path.ts';
import { performStep, type TreeDeps } from './tree-steps.ts';

export interface ActionDeps extends TreeDeps {
  readonly isSecret: IsSecret;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** A removal above these limits cannot be undone. */
export interface UndoLimits {
  readonly bytes: number;
  readonly entries: number;
}

/** All paths are resolved. Missing parent folders are created too. */
export async function createFolder(path: MountPath, deps: ActionDeps): Promise<TreeChange> {
  if (deps.tree.stat(path)) throw alreadyExists(formatMountPath(path));
  const missingFolders: MountPath[] = [];
  for (
    let missing = path;
    missing.segments.length > 0 && !deps.tree.stat(missing);
    missing = parentOf(missing)
  ) {
    checkNewName(nameOf(missing));
    missingFolders.unshift(missing);
  }
  const madeFolders = missingFolders.map(formatMountPath);
  return performStep('do', { ...draft(path, deps), kind: 'created', isFolder: true, madeFolders }, deps);
}

export async function moveTreeEntry(from: MountPath, to: MountPath, deps: ActionDeps): Promise<TreeChange> {
  const entry = requireEntry(from, deps.tree);
  if (formatMountPath(from) === formatMountPath(to)) throw alreadyExists(formatMountPath(to));
  checkNewName(nameOf(to));
  if (isAtOrAbove(from, to)) {
    throw new CrewError('USAGE', `"${formatMountPath(from)}" cannot be moved into itself.`);
  }
  if (deps.tree.stat(parentOf(to))?.kind !== 'folder') throw notFound(formatMountPath(parentOf(to)));
  // A rename would expose a secret file, or hide a file that tools may read.
  if (deps.isSecret(from.segments) !== deps.isSecret(to.segments)) {
    throw denied(
      `"${formatMountPath(from)}" cannot be renamed to "${formatMountPath(to)}", because one of them is a secret file. Use another program.`,
    );
  }
  const isFolder = entry.kind === 'folder';
  const change = { ...draft(from, deps), kind: 'moved', isFolder, to: formatMountPath(to) } as const;
  try {
    return await performStep('do', change, deps);
  } catch (error) {
    throw errnoOf(error) === 'EEXIST' ? alreadyExists(formatMountPath(to)) : error;
  }
}

export async function removeTreeEntry(
  path: MountPath,
  { isFinal, limits }: { readonly isFinal: boolean; readonly limits: UndoLimits },
  deps: ActionDeps,
): Promise<TreeChange> {
  const entry = requireEntry(path, deps.tree);
  const { bytes, isUndoable } = await measure(path, limits, deps.tree, isFinal);
  if (!isFinal && !isUndoable) {
    throw new CrewError(
      'FILE_TOO_LARGE',
      `"${formatMountPath(path)}" is too large to be restored later. Delete it permanently, or keep it.`,
      { details: { isFinalNeeded: true } },
    );
  }
  const isFolder = entry.kind === 'folder';
  const change = { ...draft(path, deps), kind: 'removed', isFolder, bytes, isKept: !isFinal } as const;
  return performStep('do', change, deps);
}

/** Visits all entries to be removed, so that obstacles are found before anything is changed. */
async function measure(
  path: MountPath,
  limits: UndoLimits,
  tree: MountedTree,
  isFinal: boolean,
): Promise<{ bytes: number; isUndoable: boolean }> {
  let [bytes, entries, isUndoable] = [0, 0, true];
  for await (const visit of tree.visit(path)) {
    const { entry, isLeaving } = visit;
    if (isLeaving) continue;
    if (entry.kind === 'folder' && !visit.canBeEmptied()) throw systemError('EACCES');
    entries++;
    if (entry.kind === 'file') bytes += entry.bytes;
    if (entry.kind === 'special' || bytes > limits.bytes || entries > limits.entries) isUndoable = false;
    if (!isUndoable && !isFinal) break;
  }
  return { bytes, isUndoable };
}

function requireEntry(path: MountPath, tree: MountedTree): TreeEntry {
  const entry = tree.stat(path);
  if (!entry) throw notFound(formatMountPath(path));
  return entry;
}

function draft(path: MountPath, { newId, now }: ActionDeps) {
  return {
    schemaVersion: 1,
    id: newId(),
    at: now().toISOString(),
    path: formatMountPath(path),
    isUndone: false,
  } as const;
}
