/**
 * A user's changes to project files: creating folders, moving and removing entries, undoing and redoing. Each is validated first.
 * Later changes are never overwritten: a mismatch is a conflict, and nothing is changed.
 */
import type { FileChange } from '@crewagent/protocol/api/files';
import type { TreeChange, TreeStep } from '@crewagent/protocol/file-journal';
import type { UndoneFile } from '@crewagent/protocol/journal';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf, systemError } from '../base/errno.ts';
import { formatMountPath, type MountPath } from '../mounts/mount-path.ts';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import type { IsSecret } from '../mounts/sensitive/secret-files.ts';
import type { TreeEntry } from '../mounts/tree-entry.ts';
import { DamagedSnapshot } from '../store/file-changes.ts';
import type { Journal } from '../store/journal.ts';
import { alreadyExists, conflict, denied, notFound } from './file-errors.ts';
import { checkNewName, isAtOrAbove, nameOf, parentOf, toMountPath } from './project-path.ts';
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

export type Direction = Exclude<TreeStep['direction'], 'do'>;

/** Undoes or redoes a content change. */
export async function undoOrRedoContent(journal: Journal, direction: Direction, id: string): Promise<void> {
  for (const { outcome, reason, path } of await journal[direction]({ callId: id })) {
    if (outcome === 'failed') throw new CrewError('DISK', `"${path}" was not changed. ${reason ?? ''}`);
    // A redo superseded by a newer change has a reason.
    if (isRefusal(outcome) || reason !== undefined)
      throw conflict(`"${path}": ${reason ?? 'it was changed since.'}`);
  }
}

function isRefusal(outcome: UndoneFile['outcome']): boolean {
  return outcome === 'conflict' || outcome === 'not-recorded';
}

/** Undoes or redoes a change to the tree. `all`: all changes, for finding a later conflicting one. */
export async function undoOrRedoTree(
  direction: Direction,
  change: TreeChange,
  { all, ...deps }: TreeDeps & { readonly all: readonly FileChange[] },
): Promise<void> {
  if (change.isUndone === (direction === 'undo')) return;
  await checkUnchanged(direction, change, { all, ...deps });
  try {
    await performStep(direction, change, deps);
  } catch (error) {
    throw toConflict(error, change);
  }
}

/** Throws a conflict unless the tree is still as the change left it. */
async function checkUnchanged(
  direction: Direction,
  change: TreeChange,
  { tree, changes, all }: TreeDeps & { readonly all: readonly FileChange[] },
): Promise<void> {
  const isUndo = direction === 'undo';
  const path = toMountPath(change.path);
  switch (change.kind) {
    case 'created':
      if (!isUndo && tree.stat(path)) throw occupied(change.path);
      if (isUndo && tree.stat(path)?.kind !== 'folder') throw changedSince(change.path);
      return;
    case 'moved': {
      const [source, target] = isUndo ? [change.to, change.path] : [change.path, change.to];
      const later = findLaterChange(source, change, all);
      if (later)
        throw conflict(`"${source}" was ${later.kind} later. Undo that change first.`, { id: later.id });
      const kind = tree.stat(toMountPath(source))?.kind;
      if (kind === undefined || (kind === 'folder') !== change.isFolder) throw changedSince(source);
      if (tree.stat(parentOf(toMountPath(target)))?.kind !== 'folder') throw changedSince(folderOf(target));
      return;
    }
    case 'removed': {
      if (!change.isKept)
        throw conflict(`The removed content of "${change.path}" was not saved, so it cannot be restored.`);
      if (isUndo) {
        if (tree.stat(path)) throw occupied(change.path);
        if (tree.stat(parentOf(path))?.kind !== 'folder') throw changedSince(folderOf(change.path));
        return;
      }
      if (!tree.stat(path)) throw changedSince(change.path);
      if (!(await changes.isSameAsSnapshot(change.id, tree, path)))
        throw conflict(`"${change.path}" was changed since it was restored, so it was not removed.`);
    }
  }
}

/** A later change that put another entry at `source`. Content changes do not conflict. */
function findLaterChange(
  source: string,
  { id }: TreeChange,
  all: readonly FileChange[],
): FileChange | undefined {
  const target = toMountPath(source);
  const touches = (path: string | undefined): boolean =>
    path !== undefined && isAtOrAbove(toMountPath(path), target);
  return all.find(
    (other) =>
      other.id > id &&
      !other.isUndone &&
      other.kind !== 'saved' &&
      (touches(other.path) || touches(other.to)),
  );
}

function toConflict(error: unknown, { path }: TreeChange): unknown {
  if (error instanceof DamagedSnapshot)
    return conflict(`The saved content of "${path}" is missing or damaged, so it was not restored.`);
  const errno = errnoOf(error);
  if (errno === 'EEXIST') return occupied(path);
  return errno === 'ENOTEMPTY' ? conflict(`"${path}" is not empty any more, so it was not removed.`) : error;
}

function occupied(path: string): CrewError {
  return conflict(`Another file or folder is now at "${path}", so nothing was changed.`);
}

function changedSince(path: string): CrewError {
  return conflict(`"${path}" was changed, moved or removed since, so nothing was changed.`);
}

function folderOf(path: string): string {
  return formatMountPath(parentOf(toMountPath(path)));
}
