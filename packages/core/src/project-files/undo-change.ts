/**
 * Taking back what a person did to a project's files, and doing it again. Nothing that was done since is overwritten: what
 * no longer fits is a conflict, and all stays as it is.
 */
import type { FileChange } from '@crewagent/protocol/api/files';
import type { TreeChange, TreeStep } from '@crewagent/protocol/file-journal';
import type { UndoneFile } from '@crewagent/protocol/journal';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf } from '../base/errno.ts';
import { formatMountPath } from '../mounts/mount-path.ts';
import type { Journal } from '../store/disk/journal.ts';
import { conflict } from './file-errors.ts';
import { isAtOrAbove, parentOf, toMountPath } from './project-path.ts';
import { DamagedTree, isSameTree, readSnapshot } from './tree-snapshot.ts';
import { type TreeDeps, takeStep } from './tree-steps.ts';

export type Direction = Exclude<TreeStep['direction'], 'do'>;

/** Undoes or redoes a content change. */
export async function moveContent(journal: Journal, direction: Direction, id: string): Promise<void> {
  for (const { outcome, reason, path } of await journal[direction]({ callId: id })) {
    if (outcome === 'failed') throw new CrewError('DISK', `"${path}" was left as it is. ${reason ?? ''}`);
    // A redo that a newer change has overtaken says so in its reason.
    if (isRefusal(outcome) || reason !== undefined)
      throw conflict(`"${path}": ${reason ?? 'it was changed since.'}`);
  }
}

function isRefusal(outcome: UndoneFile['outcome']): boolean {
  return outcome === 'conflict' || outcome === 'not-recorded';
}

/** Undoes or redoes a change to the tree. `all` is everything that was done, for what is in the way. */
export async function moveTreeChange(
  direction: Direction,
  change: TreeChange,
  { all, ...deps }: TreeDeps & { readonly all: readonly FileChange[] },
): Promise<void> {
  if (change.isUndone === (direction === 'undo')) return;
  await checkStanding(direction, change, { all, ...deps });
  try {
    await takeStep(direction, change, deps);
  } catch (error) {
    throw toConflict(error, change);
  }
}

/** Whether what is there now is what the change left there, or what it began with. */
async function checkStanding(
  direction: Direction,
  change: TreeChange,
  { tree, changes, all }: TreeDeps & { readonly all: readonly FileChange[] },
): Promise<void> {
  const isUndo = direction === 'undo';
  const path = toMountPath(change.path);
  switch (change.kind) {
    case 'created':
      if (!isUndo && tree.stat(path)) throw standsAlready(change.path);
      if (isUndo && tree.stat(path)?.kind !== 'folder') throw isGone(change.path);
      return;
    case 'moved': {
      const [source, target] = isUndo ? [change.to, change.path] : [change.path, change.to];
      const later = laterAt(source, change, all);
      if (later) throw conflict(`"${source}" was ${later.kind} later; undo that first.`, { id: later.id });
      const kind = tree.stat(toMountPath(source))?.kind;
      if (kind === undefined || (kind === 'folder') !== change.isFolder) throw isGone(source);
      if (tree.stat(parentOf(toMountPath(target)))?.kind !== 'folder') throw isGone(folderOf(target));
      return;
    }
    case 'removed': {
      if (!change.isKept) throw conflict(`What was removed at "${change.path}" was not kept.`);
      if (isUndo) {
        if (tree.stat(path)) throw standsAlready(change.path);
        if (tree.stat(parentOf(path))?.kind !== 'folder') throw isGone(folderOf(change.path));
        return;
      }
      const kept = await readSnapshot({ folder: changes.folder, id: change.id });
      if (!tree.stat(path)) throw isGone(change.path);
      if (!kept || !(await isSameTree(tree, path, kept)))
        throw conflict(`"${change.path}" was changed since it was put back, so it was left as it is.`);
    }
  }
}

/** What put something else where the change left its own. Contents may change; that is in nobody's way. */
function laterAt(source: string, { id }: TreeChange, all: readonly FileChange[]): FileChange | undefined {
  const place = toMountPath(source);
  const touches = (path: string | undefined): boolean =>
    path !== undefined && isAtOrAbove(toMountPath(path), place);
  return all.find(
    (other) =>
      other.id > id &&
      !other.isUndone &&
      other.kind !== 'saved' &&
      (touches(other.path) || touches(other.to)),
  );
}

function toConflict(error: unknown, { path }: TreeChange): unknown {
  if (error instanceof DamagedTree)
    return conflict(`What was removed at "${path}" was not kept, or is damaged; nothing was put back.`);
  const errno = errnoOf(error);
  if (errno === 'EEXIST') return standsAlready(path);
  return errno === 'ENOTEMPTY'
    ? conflict(`There is something in "${path}" by now, so it was left as it is.`)
    : error;
}

function standsAlready(path: string): CrewError {
  return conflict(`There is something else at "${path}" by now, so it was left as it is.`);
}

function isGone(path: string): CrewError {
  return conflict(`"${path}" is no longer what it was then; nothing was changed.`);
}

function folderOf(path: string): string {
  return formatMountPath(parentOf(toMountPath(path)));
}
