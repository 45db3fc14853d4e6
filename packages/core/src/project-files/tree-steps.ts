/**
 * Performs, undoes and redoes changes to the tree, atomically across crashes. A step is recorded before it begins;
 * after a crash, the state of the project decides whether it was done.
 */
import type { FolderCreated, Moved, Removed, TreeChange, TreeStep } from '@crewagent/protocol/file-journal';
import { ifAllowed, systemError } from '../base/errno.ts';
import { foldName } from '../base/file-names.ts';
import { stagingName } from '../base/staging.ts';
import type { MountPath } from '../mounts/mount-path.ts';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import type { TreeChanges } from '../store/file-changes.ts';
import { childOf, nameOf, parentOf, toMountPath } from './project-path.ts';

export interface TreeDeps {
  readonly tree: MountedTree;
  readonly changes: TreeChanges;
}

/** Performs, undoes or redoes a change. If it throws, nothing was changed. */
export async function performStep(
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
    await executeStep(step, deps);
  } catch (error) {
    if (!(await settleStep(step, deps))) throw error;
    return step.change;
  }
  return deps.changes.finish(step);
}

/** Settles a step of unknown outcome: completes it if it cannot be rolled back. Returns whether it was done. */
export async function settleStep(step: TreeStep, deps: TreeDeps): Promise<boolean> {
  // Without the project folder the outcome cannot be determined.
  if (!deps.tree.stat({ mount: '@project', segments: [] })) throw systemError('ENOENT');
  if (await isDone(step, deps)) {
    await deps.changes.finish(step);
    return true;
  }
  await deps.changes.abandon(step);
  return false;
}

function executeStep(step: TreeStep, deps: TreeDeps): Promise<void> {
  const { change, direction } = step;
  const isUndo = direction === 'undo';
  switch (change.kind) {
    case 'created':
      return isUndo ? removeFolders(change, deps.tree) : makeFolders(change, deps.tree);
    case 'moved': {
      const { from, to } = endpointsOf(change, direction);
      return deps.tree.move(from, to);
    }
    case 'removed':
      return isUndo ? restoreEntry(step, deps) : removeEntry(step, change, deps);
  }
}

async function isDone(step: TreeStep, deps: TreeDeps): Promise<boolean> {
  const { change, direction } = step;
  const isUndo = direction === 'undo';
  switch (change.kind) {
    case 'created': {
      const exists = deps.tree.stat(toMountPath(change.path))?.kind === 'folder';
      // It was killed before the folder was created, or after it was removed, with its parents still there.
      if (!exists) await removeCreatedParents(change, deps.tree);
      return exists !== isUndo;
    }
    case 'moved': {
      const { from, to } = endpointsOf(change, direction);
      return (await hasExactName(deps.tree, to, from)) && !(await hasExactName(deps.tree, from, to));
    }
    case 'removed':
      return isUndo ? isRestored(step, deps) : isRemoved(step, change, deps);
  }
}

async function makeFolders({ madeFolders }: FolderCreated, tree: MountedTree): Promise<void> {
  for (const folder of madeFolders) await tree.makeFolder(toMountPath(folder));
}

async function removeFolders(change: FolderCreated, tree: MountedTree): Promise<void> {
  await tree.removeEmptyFolder(toMountPath(change.path));
  await removeCreatedParents(change, tree);
}

/** Removes parent folders created for `path`, if they are empty. */
async function removeCreatedParents({ path, madeFolders }: FolderCreated, tree: MountedTree): Promise<void> {
  for (const folder of madeFolders.filter((made) => made !== path).toReversed())
    await ifAllowed(tree.removeEmptyFolder(toMountPath(folder)));
}

function endpointsOf(
  { path, to }: Moved,
  direction: TreeStep['direction'],
): { from: MountPath; to: MountPath } {
  const [one, other] = [toMountPath(path), toMountPath(to)];
  return direction === 'undo' ? { from: other, to: one } : { from: one, to: other };
}

/** Whether an entry has exactly this name. Some file systems treat `other` as the same name. */
async function hasExactName(tree: MountedTree, path: MountPath, other: MountPath): Promise<boolean> {
  const name = nameOf(path);
  if (!tree.stat(path)) return false;
  if (foldName(name) !== foldName(nameOf(other))) return true;
  for await (const batch of tree.entries(parentOf(path)))
    if (batch.some((entry) => entry.name === name)) return true;
  return false;
}

/** Moves the entry to a staging name, saves a snapshot, then removes it. */
async function removeEntry(step: TreeStep, change: Removed, deps: TreeDeps): Promise<void> {
  const { path, staging } = stagingPathsOf(step);
  await deps.tree.move(path, staging);
  // An earlier snapshot may differ in times and permissions.
  await deps.changes.dropSnapshot(change.id);
  await finishRemoval(step, change, deps);
}

async function isRemoved(step: TreeStep, change: Removed, deps: TreeDeps): Promise<boolean> {
  const { path, staging } = stagingPathsOf(step);
  if (!deps.tree.stat(staging)) return !deps.tree.stat(path) && (await isSnapshotReady(change, deps));
  try {
    await finishRemoval(step, change, deps);
    return true;
  } catch (error) {
    // If the entry was moved back, the step did not happen.
    if (deps.tree.stat(staging)) throw error;
    return false;
  }
}

async function finishRemoval(step: TreeStep, change: Removed, deps: TreeDeps): Promise<void> {
  const { path, staging } = stagingPathsOf(step);
  if (!(await isSnapshotReady(change, deps))) {
    try {
      await deps.changes.saveSnapshot(change.id, deps.tree, staging);
    } catch (error) {
      await deps.tree.move(staging, path);
      throw error;
    }
  }
  await deps.tree.remove(staging);
}

/** Whether the entry can be deleted: its snapshot is saved, or none is required. */
async function isSnapshotReady({ id, isKept }: Removed, { changes }: TreeDeps): Promise<boolean> {
  return !isKept || (await changes.hasSnapshot(id));
}

/** Restores under a staging name, then moves it into place. */
async function restoreEntry(step: TreeStep, { tree, changes }: TreeDeps): Promise<void> {
  const { path, staging } = stagingPathsOf(step);
  await changes.restoreSnapshot(step.change.id, tree, staging);
  await tree.move(staging, path);
}

async function isRestored(step: TreeStep, { tree }: TreeDeps): Promise<boolean> {
  const { path, staging } = stagingPathsOf(step);
  if (!tree.stat(staging)) return tree.stat(path) !== undefined;
  await tree.remove(staging);
  return false;
}

function stagingPathsOf({ change, stage }: TreeStep): { path: MountPath; staging: MountPath } {
  const path = toMountPath(change.path);
  return { path, staging: childOf(parentOf(path), stage) };
}
