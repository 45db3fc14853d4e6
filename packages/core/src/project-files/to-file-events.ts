/**
 * Converts touched paths to file events: each path is checked once, after a quiet period.
 */
import type { FileEvent } from '@crewagent/protocol/api/files';
import { errnoOf } from '../base/errno.ts';
import { formatMountPath, type MountPath } from '../mounts/mount-path.ts';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';
import type { TreeEntry } from '../mounts/tree-entry.ts';
import { nameOf, parentOf } from './project-path.ts';
import type { Touched, TreeWatch } from './watch-tree.ts';

/** Events of a touched path; none for an entry that appeared and vanished. New folders are watched from here on. */
export async function toFileEvents(
  { path, isRename }: Touched,
  { tree, watch }: { readonly tree: MountedTree; readonly watch: TreeWatch },
): Promise<FileEvent[]> {
  const entry = tryStat(tree, path);
  if (watch.isDeep) return toUntrackedEvents({ path, isRename }, entry);
  const names = watch.known(parentOf(path));
  // The parent folder was removed, which has its own event.
  if (!names) return [];
  const before = names.get(nameOf(path));
  if (!entry) {
    names.delete(nameOf(path));
    if (before === 'folder') watch.drop(path);
    return before === undefined ? [] : [toEvent(path, 'removed', before)];
  }
  names.set(nameOf(path), entry.kind);
  // A folder has events when it is added or removed; changes in it are events of its entries.
  if (before === 'folder' && watch.isWatched(path, entry)) return [];
  if (before === 'folder') watch.drop(path);
  const event = toEvent(path, before === undefined ? 'created' : 'changed', entry.kind);
  const found = entry.kind === 'folder' ? await watch.add(path) : [];
  return [event, ...found.map((inner) => toEvent(inner.path, 'created', inner.kind))];
}

/** If a whole tree is watched at once, the previous state is unknown, so the kind comes from the system. */
function toUntrackedEvents({ path, isRename }: Touched, entry: TreeEntry | undefined): FileEvent[] {
  if (!entry) return [toEvent(path, 'removed')];
  if (entry.kind === 'folder' && !isRename) return [];
  return [toEvent(path, isRename ? 'created' : 'changed', entry.kind)];
}

function toEvent(path: MountPath, kind: FileEvent['kind'], of?: TreeEntry['kind']): FileEvent {
  return { path: formatMountPath(path), kind, ...(of === 'folder' ? { isFolder: true } : {}) };
}

/** A path that is reachable only through a link counts as missing. */
function tryStat(tree: MountedTree, path: MountPath): TreeEntry | undefined {
  try {
    return tree.stat(path);
  } catch (error) {
    if (errnoOf(error) === undefined && !(error instanceof SandboxViolation)) throw error;
    return undefined;
  }
}
