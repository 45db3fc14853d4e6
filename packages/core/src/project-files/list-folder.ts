/**
 * One level of a project's folder, bounded whatever it holds: folders first, each in natural order.
 */
import type { FileEntry, FileList } from '@crewagent/protocol/api/files';
import { hasInvisible, toPlainText } from '@crewagent/protocol/plain-text';
import { isIgnoredName } from '../base/ignored-names.ts';
import { parseStagingName } from '../base/staging.ts';
import { formatMountPath, type MountPath } from '../mounts/mount-path.ts';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import type { FolderEntry } from '../mounts/open-path.ts';
import type { IsSecret } from '../mounts/secret-files.ts';
import type { TreeEntry } from '../mounts/tree-entry.ts';
import { toTimestamp } from './timestamp.ts';

const MAX_ENTRIES = 5_000;
/** Names are sorted and cut down whenever this many have come together. */
const POOL = 4 * MAX_ENTRIES;

export interface ListOptions {
  readonly tree: MountedTree;
  readonly isSecret: IsSecret;
  readonly includeHidden: boolean;
}

/** `folder` is where it really lies, `path` what it was asked for as. */
export async function listFolder(
  { path, folder }: { readonly path: MountPath; readonly folder: MountPath },
  { tree, isSecret, includeHidden }: ListOptions,
): Promise<FileList> {
  const first = createPicker();
  for await (const batch of tree.entries(folder)) {
    for (const entry of batch) if (isShown(entry.name, includeHidden)) first.add(entry);
  }
  const chosen = first.take();
  const found = await tree.statAll(
    folder,
    chosen.map(({ name }) => name),
  );
  return {
    path: formatMountPath(path),
    entries: chosen.map((entry, index) =>
      toEntry(entry, found[index], isSecret([...folder.segments, entry.name])),
    ),
    total: first.count,
    isTruncated: first.count > chosen.length,
  };
}

function isShown(name: string, includeHidden: boolean): boolean {
  if (parseStagingName(name)) return false;
  return includeHidden || !(name.startsWith('.') || isIgnoredName(name));
}

/** Holds on to the first ones in order, however many come. */
function createPicker() {
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  const inOrder = (a: FolderEntry, b: FolderEntry): number => {
    if (a.kind !== b.kind && (a.kind === 'folder' || b.kind === 'folder'))
      return a.kind === 'folder' ? -1 : 1;
    return compare(a.name, b.name) || (a.name < b.name ? -1 : 1);
  };
  let pool: FolderEntry[] = [];
  return {
    count: 0,
    add(entry: FolderEntry) {
      this.count++;
      pool.push(entry);
      if (pool.length >= POOL) pool = this.take();
    },
    take: (): FolderEntry[] => pool.sort(inOrder).slice(0, MAX_ENTRIES),
  };
}

function toEntry({ name, kind }: FolderEntry, found: TreeEntry | undefined, isSecret: boolean): FileEntry {
  const shown = found?.kind ?? kind;
  return {
    name: toPlainText(name),
    kind: shown === 'special' ? 'other' : shown,
    ...(found?.kind === 'file' ? { bytes: found.bytes } : {}),
    ...(found ? { modifiedAt: toTimestamp(found.modifiedMs) } : {}),
    isSecret,
    isIgnored: isIgnoredName(name),
    // Not found by a name just read: it was no text, or is gone again.
    ...(found && isWritable(name) ? {} : { isOutOfReach: true as const }),
  };
}

/** Whether a path can contain the name. */
function isWritable(name: string): boolean {
  return !hasInvisible(name) && !name.includes('\\');
}
