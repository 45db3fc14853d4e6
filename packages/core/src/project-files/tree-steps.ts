/**
 * Making, undoing and redoing a change to the tree, so that it is made or not made whenever the process ends. What is under
 * way is written down first; whether it was made is, in doubt, read from the project itself.
 */
import type { FolderCreated, Moved, Removed, TreeChange, TreeStep } from '@crewagent/protocol/file-journal';
import { errnoOf } from '../base/errno.ts';
import { foldName } from '../base/file-names.ts';
import { stagingName } from '../base/staging.ts';
import type { MountPath } from '../mounts/mount-path.ts';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import { systemError } from '../mounts/tree-entry.ts';
import { childOf, nameOf, parentOf, toMountPath } from './project-path.ts';
import type { TreeChanges } from './tree-changes.ts';
import {
  DamagedTree,
  dropSnapshot,
  keepTree,
  readSnapshot,
  restoreTree,
  type SnapshotLocation,
} from './tree-snapshot.ts';

export interface TreeDeps {
  readonly tree: MountedTree;
  readonly changes: TreeChanges;
}

/** Makes a change, takes it back or makes it again. Throws when that was not to be, and then nothing was changed. */
export async function takeStep(
  direction: TreeStep['direction'],
  change: TreeChange,
  deps: TreeDeps,
): Promise<TreeChange> {
  const step: TreeStep = {
    schemaVersion: 1,
    direction,
    change: { ...change, isUndone: direction === 'undo' },
    stage: stagingName(direction === 'undo' ? 'restoring' : 'removing'),
  };
  await deps.changes.begin(step);
  try {
    await makeStep(step, deps);
  } catch (error) {
    if (!(await settleStep(step, deps))) throw error;
    return step.change;
  }
  return deps.changes.finish(step);
}

/** Nobody knows how far a step got: decides it, finishing what cannot be taken back. Says whether it was made. */
export async function settleStep(step: TreeStep, deps: TreeDeps): Promise<boolean> {
  // A project that is not there says nothing about what was done to it.
  if (!deps.tree.stat({ mount: '@project', segments: [] })) throw systemError('ENOENT');
  if (await isMade(step, deps)) {
    await deps.changes.finish(step);
    return true;
  }
  await deps.changes.abandon(step);
  return false;
}

function makeStep(step: TreeStep, deps: TreeDeps): Promise<void> {
  const { change, direction } = step;
  const isUndo = direction === 'undo';
  switch (change.kind) {
    case 'created':
      return isUndo ? unmakeFolders(change, deps.tree) : makeFolders(change, deps.tree);
    case 'moved': {
      const { from, to } = wayOf(change, direction);
      return deps.tree.move(from, to);
    }
    case 'removed':
      return isUndo ? putBack(step, change, deps) : takeOut(step, change, deps);
  }
}

async function isMade(step: TreeStep, deps: TreeDeps): Promise<boolean> {
  const { change, direction } = step;
  const isUndo = direction === 'undo';
  switch (change.kind) {
    case 'created': {
      const isThere = deps.tree.stat(toMountPath(change.path))?.kind === 'folder';
      if (!isUndo && !isThere) await unmakeParents(change, deps.tree);
      return isThere !== isUndo;
    }
    case 'moved': {
      const { from, to } = wayOf(change, direction);
      return (await isExactly(deps.tree, to, from)) && !(await isExactly(deps.tree, from, to));
    }
    case 'removed':
      return isUndo ? isPutBack(step, deps) : isTakenOut(step, change, deps);
  }
}

async function makeFolders({ madeFolders }: FolderCreated, tree: MountedTree): Promise<void> {
  for (const folder of madeFolders) await tree.makeFolder(toMountPath(folder));
}

async function unmakeFolders(change: FolderCreated, tree: MountedTree): Promise<void> {
  await tree.removeEmptyFolder(toMountPath(change.path));
  await unmakeParents(change, tree);
}

/** Those that were made for it, as far as they are empty. */
async function unmakeParents({ path, madeFolders }: FolderCreated, tree: MountedTree): Promise<void> {
  for (const folder of madeFolders.filter((made) => made !== path).toReversed()) {
    try {
      await tree.removeEmptyFolder(toMountPath(folder));
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
    }
  }
}

function wayOf({ path, to }: Moved, direction: TreeStep['direction']): { from: MountPath; to: MountPath } {
  const [one, other] = [toMountPath(path), toMountPath(to)];
  return direction === 'undo' ? { from: other, to: one } : { from: one, to: other };
}

/** Whether something has just this name. Asked with the other name in mind, which some disks take for the same. */
async function isExactly(tree: MountedTree, path: MountPath, other: MountPath): Promise<boolean> {
  const name = nameOf(path);
  if (!tree.stat(path)) return false;
  if (foldName(name) !== foldName(nameOf(other))) return true;
  for await (const batch of tree.entries(parentOf(path)))
    if (batch.some((entry) => entry.name === name)) return true;
  return false;
}

/** Out of sight in one move; then kept, then gone. */
async function takeOut(step: TreeStep, change: Removed, deps: TreeDeps): Promise<void> {
  const { path, stage } = stageOf(step);
  await deps.tree.move(path, stage);
  // What was kept before may differ in what nobody looked at: times, permissions.
  await dropSnapshot(deps.changes.folder, change.id);
  await finishTakingOut(step, change, deps);
}

async function isTakenOut(step: TreeStep, change: Removed, deps: TreeDeps): Promise<boolean> {
  const { path, stage } = stageOf(step);
  if (!deps.tree.stat(stage)) return !deps.tree.stat(path) && (await isSafe(change, deps));
  try {
    await finishTakingOut(step, change, deps);
    return true;
  } catch (error) {
    // It may be back where it was; then it is as if nothing had been.
    if (deps.tree.stat(stage)) throw error;
    return false;
  }
}

async function finishTakingOut(step: TreeStep, change: Removed, deps: TreeDeps): Promise<void> {
  const { path, stage } = stageOf(step);
  if (!(await isSafe(change, deps))) {
    try {
      await keepTree(deps.tree, stage, snapshotLocation(change, deps));
    } catch (error) {
      await deps.tree.move(stage, path);
      throw error;
    }
  }
  await deps.tree.remove(stage);
}

/** Nothing is lost when it goes: it was kept, or is not to be. */
async function isSafe(change: Removed, deps: TreeDeps): Promise<boolean> {
  return !change.isKept || (await readSnapshot(snapshotLocation(change, deps))) !== undefined;
}

/** Made anew out of sight, then there in one move. */
async function putBack(step: TreeStep, change: Removed, deps: TreeDeps): Promise<void> {
  const { path, stage } = stageOf(step);
  const place = snapshotLocation(change, deps);
  const kept = await readSnapshot(place);
  if (!kept) throw new DamagedTree();
  await restoreTree(deps.tree, stage, { kept, place });
  await deps.tree.move(stage, path);
}

async function isPutBack(step: TreeStep, { tree }: TreeDeps): Promise<boolean> {
  const { path, stage } = stageOf(step);
  if (!tree.stat(stage)) return tree.stat(path) !== undefined;
  await tree.remove(stage);
  return false;
}

function stageOf({ change, stage }: TreeStep): { path: MountPath; stage: MountPath } {
  const path = toMountPath(change.path);
  return { path, stage: childOf(parentOf(path), stage) };
}

function snapshotLocation({ id }: TreeChange, { changes }: TreeDeps): SnapshotLocation {
  return { folder: changes.folder, id };
}
