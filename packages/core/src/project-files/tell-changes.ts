/**
 * From names that were touched to what happened: each is looked at once, after things have calmed down.
 */
import type { FileEvent } from '@crewagent/protocol/api/files';
import { errnoOf } from '../base/errno.ts';
import { formatMountPath, type MountPath } from '../mounts/mount-path.ts';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';
import type { TreeEntry } from '../mounts/tree-entry.ts';
import { nameOf, parentOf } from './project-path.ts';
import type { Touched, TreeWatch } from './watch-tree.ts';

/** What happened at a path that was touched; nothing for what came and went. New folders are watched from here on. */
export async function tellChange(
  { path, isRename }: Touched,
  { tree, watch }: { readonly tree: MountedTree; readonly watch: TreeWatch },
): Promise<FileEvent[]> {
  const entry = lookQuietly(tree, path);
  if (watch.isDeep) return tellUnknown({ path, isRename }, entry);
  const names = watch.known(parentOf(path));
  // The folder it was in went, which is told of that.
  if (!names) return [];
  const before = names.get(nameOf(path));
  if (!entry) {
    names.delete(nameOf(path));
    if (before === 'folder') watch.drop(path);
    return before === undefined ? [] : [toEvent(path, 'removed', before)];
  }
  names.set(nameOf(path), entry.kind);
  // A folder is told when it comes and goes; what happens in it is told of what is in it.
  if (before === 'folder' && watch.isWatched(path, entry)) return [];
  if (before === 'folder') watch.drop(path);
  const event = toEvent(path, before === undefined ? 'created' : 'changed', entry.kind);
  const found = entry.kind === 'folder' ? await watch.add(path) : [];
  return [event, ...found.map((inner) => toEvent(inner.path, 'created', inner.kind))];
}

/** Where a whole tree is watched at once it is not known what was there before; the system's word has to do. */
function tellUnknown({ path, isRename }: Touched, entry: TreeEntry | undefined): FileEvent[] {
  if (!entry) return [toEvent(path, 'removed')];
  if (entry.kind === 'folder' && !isRename) return [];
  return [toEvent(path, isRename ? 'created' : 'changed', entry.kind)];
}

function toEvent(path: MountPath, kind: FileEvent['kind'], of?: TreeEntry['kind']): FileEvent {
  return { path: formatMountPath(path), kind, ...(of === 'folder' ? { isFolder: true } : {}) };
}

/** What cannot be reached without a link is not there for us. */
function lookQuietly(tree: MountedTree, path: MountPath): TreeEntry | undefined {
  try {
    return tree.stat(path);
  } catch (error) {
    if (errnoOf(error) === undefined && !(error instanceof SandboxViolation)) throw error;
    return undefined;
  }
}
