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
import { DamagedTree, dropKept, type KeptPlace, keepTree, readKept, restoreTree } from './kept-tree.ts';
import { childOf, nameOf, parentOf, toMountPath } from './project-path.ts';
import type { TreeChanges } from './tree-changes.ts';

export interface TreeDesk {
  readonly tree: MountedTree;
  readonly changes: TreeChanges;
}

/** Makes a change, takes it back or makes it again. Throws when that was not to be, and then nothing was changed. */
export async function takeStep(
  direction: TreeStep['direction'],
  change: TreeChange,
  desk: TreeDesk,
): Promise<TreeChange> {
  const step: TreeStep = {
    schemaVersion: 1,
    direction,
    change: { ...change, isUndone: direction === 'undo' },
    stage: stagingName(direction === 'undo' ? 'restoring' : 'removing'),
  };
  await desk.changes.begin(step);
  try {
    await makeStep(step, desk);
  } catch (error) {
    if (!(await settleStep(step, desk))) throw error;
    return step.change;
  }
  return desk.changes.finish(step);
}

/** Nobody knows how far a step got: decides it, finishing what cannot be taken back. Says whether it was made. */
export async function settleStep(step: TreeStep, desk: TreeDesk): Promise<boolean> {
  // A project that is not there says nothing about what was done to it.
  if (!desk.tree.look({ mount: '@project', segments: [] })) throw systemError('ENOENT');
  if (await isMade(step, desk)) {
    await desk.changes.finish(step);
    return true;
  }
  await desk.changes.abandon(step);
  return false;
}

function makeStep(step: TreeStep, desk: TreeDesk): Promise<void> {
  const { change, direction } = step;
  const isUndo = direction === 'undo';
  switch (change.kind) {
    case 'created':
      return isUndo ? unmakeFolders(change, desk.tree) : makeFolders(change, desk.tree);
    case 'moved': {
      const { from, to } = wayOf(change, direction);
      return desk.tree.move(from, to);
    }
    case 'removed':
      return isUndo ? putBack(step, change, desk) : takeOut(step, change, desk);
  }
}

async function isMade(step: TreeStep, desk: TreeDesk): Promise<boolean> {
  const { change, direction } = step;
  const isUndo = direction === 'undo';
  switch (change.kind) {
    case 'created': {
      const isThere = desk.tree.look(toMountPath(change.path))?.kind === 'folder';
      if (!isUndo && !isThere) await unmakeParents(change, desk.tree);
      return isThere !== isUndo;
    }
    case 'moved': {
      const { from, to } = wayOf(change, direction);
      return (await isExactly(desk.tree, to, from)) && !(await isExactly(desk.tree, from, to));
    }
    case 'removed':
      return isUndo ? isPutBack(step, desk) : isTakenOut(step, change, desk);
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
  if (!tree.look(path)) return false;
  if (foldName(name) !== foldName(nameOf(other))) return true;
  for await (const batch of tree.entries(parentOf(path)))
    if (batch.some((entry) => entry.name === name)) return true;
  return false;
}

/** Out of sight in one move; then kept, then gone. */
async function takeOut(step: TreeStep, change: Removed, desk: TreeDesk): Promise<void> {
  const { path, stage } = stageOf(step);
  await desk.tree.move(path, stage);
  // What was kept before may differ in what nobody looked at: times, permissions.
  await dropKept(desk.changes.folder, change.id);
  await finishTakingOut(step, change, desk);
}

async function isTakenOut(step: TreeStep, change: Removed, desk: TreeDesk): Promise<boolean> {
  const { path, stage } = stageOf(step);
  if (!desk.tree.look(stage)) return !desk.tree.look(path) && (await isSafe(change, desk));
  try {
    await finishTakingOut(step, change, desk);
    return true;
  } catch (error) {
    // It may be back where it was; then it is as if nothing had been.
    if (desk.tree.look(stage)) throw error;
    return false;
  }
}

async function finishTakingOut(step: TreeStep, change: Removed, desk: TreeDesk): Promise<void> {
  const { path, stage } = stageOf(step);
  if (!(await isSafe(change, desk))) {
    try {
      await keepTree(desk.tree, stage, keptPlace(change, desk));
    } catch (error) {
      await desk.tree.move(stage, path);
      throw error;
    }
  }
  await desk.tree.remove(stage);
}

/** Nothing is lost when it goes: it was kept, or is not to be. */
async function isSafe(change: Removed, desk: TreeDesk): Promise<boolean> {
  return !change.isKept || (await readKept(keptPlace(change, desk))) !== undefined;
}

/** Made anew out of sight, then there in one move. */
async function putBack(step: TreeStep, change: Removed, desk: TreeDesk): Promise<void> {
  const { path, stage } = stageOf(step);
  const place = keptPlace(change, desk);
  const kept = await readKept(place);
  if (!kept) throw new DamagedTree();
  await restoreTree(desk.tree, stage, { kept, place });
  await desk.tree.move(stage, path);
}

async function isPutBack(step: TreeStep, { tree }: TreeDesk): Promise<boolean> {
  const { path, stage } = stageOf(step);
  if (!tree.look(stage)) return tree.look(path) !== undefined;
  await tree.remove(stage);
  return false;
}

function stageOf({ change, stage }: TreeStep): { path: MountPath; stage: MountPath } {
  const path = toMountPath(change.path);
  return { path, stage: childOf(parentOf(path), stage) };
}

function keptPlace({ id }: TreeChange, { changes }: TreeDesk): KeptPlace {
  return { folder: changes.folder, id };
}
