/**
 * What a person does to the tree of a project: makes folders, moves and removes things. Each is checked first and can be
 * undone.
 */
import type { TreeChange } from '@crewagent/protocol/file-journal';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf } from '../base/errno.ts';
import { formatMountPath, type MountPath } from '../mounts/mount-path.ts';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import type { IsSecret } from '../mounts/secret-files.ts';
import { systemError, type TreeEntry } from '../mounts/tree-entry.ts';
import { denied, notFound, taken } from './file-errors.ts';
import { checkNewName, isAtOrAbove, nameOf, parentOf } from './project-path.ts';
import { type TreeDeps, takeStep } from './tree-steps.ts';

export interface ActionDeps extends TreeDeps {
  readonly isSecret: IsSecret;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** Above these a removal cannot be undone. */
export interface KeepLimits {
  readonly bytes: number;
  readonly entries: number;
}

/** Paths are where things really lie. Folders above that are missing are made, too. */
export async function createFolder(path: MountPath, deps: ActionDeps): Promise<TreeChange> {
  if (deps.tree.stat(path)) throw taken(formatMountPath(path));
  const made: MountPath[] = [];
  for (
    let missing = path;
    missing.segments.length > 0 && !deps.tree.stat(missing);
    missing = parentOf(missing)
  ) {
    checkNewName(nameOf(missing));
    made.unshift(missing);
  }
  const madeFolders = made.map(formatMountPath);
  return takeStep('do', { ...draft(path, deps), kind: 'created', isFolder: true, madeFolders }, deps);
}

export async function moveThing(from: MountPath, to: MountPath, deps: ActionDeps): Promise<TreeChange> {
  const entry = requireThing(from, deps.tree);
  if (formatMountPath(from) === formatMountPath(to)) throw taken(formatMountPath(to));
  checkNewName(nameOf(to));
  if (isAtOrAbove(from, to)) {
    throw new CrewError('USAGE', `"${formatMountPath(from)}" cannot be moved into itself.`);
  }
  if (deps.tree.stat(parentOf(to))?.kind !== 'folder') throw notFound(formatMountPath(parentOf(to)));
  // Another name would show what is kept from sight, or hide what every tool may read.
  if (deps.isSecret(from.segments) !== deps.isSecret(to.segments)) {
    throw denied(
      `"${formatMountPath(from)}" cannot become "${formatMountPath(to)}": one of them is a secret file; use another program.`,
    );
  }
  const isFolder = entry.kind === 'folder';
  const change = { ...draft(from, deps), kind: 'moved', isFolder, to: formatMountPath(to) } as const;
  try {
    return await takeStep('do', change, deps);
  } catch (error) {
    throw errnoOf(error) === 'EEXIST' ? taken(formatMountPath(to)) : error;
  }
}

export async function removeThing(
  path: MountPath,
  { isFinal, limits }: { readonly isFinal: boolean; readonly limits: KeepLimits },
  deps: ActionDeps,
): Promise<TreeChange> {
  const entry = requireThing(path, deps.tree);
  const { bytes, isKeepable } = await measure(path, limits, deps.tree, isFinal);
  if (!isFinal && !isKeepable) {
    throw new CrewError(
      'FILE_TOO_LARGE',
      `"${formatMountPath(path)}" is too large to be kept, so removing it could not be undone; remove it for good or not at all.`,
      { details: { isFinalNeeded: true } },
    );
  }
  const isFolder = entry.kind === 'folder';
  const change = { ...draft(path, deps), kind: 'removed', isFolder, bytes, isKept: !isFinal } as const;
  return takeStep('do', change, deps);
}

/** Sees everything that would go, so that what cannot be removed is found before anything is touched. */
async function measure(
  path: MountPath,
  limits: KeepLimits,
  tree: MountedTree,
  isFinal: boolean,
): Promise<{ bytes: number; isKeepable: boolean }> {
  let [bytes, entries, isKeepable] = [0, 0, true];
  for await (const visit of tree.visit(path)) {
    const { entry, isLeaving } = visit;
    if (isLeaving) continue;
    if (entry.kind === 'folder' && !visit.canBeEmptied()) throw systemError('EACCES');
    entries++;
    if (entry.kind === 'file') bytes += entry.bytes;
    if (entry.kind === 'special' || bytes > limits.bytes || entries > limits.entries) isKeepable = false;
    if (!isKeepable && !isFinal) break;
  }
  return { bytes, isKeepable };
}

function requireThing(path: MountPath, tree: MountedTree): TreeEntry {
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
