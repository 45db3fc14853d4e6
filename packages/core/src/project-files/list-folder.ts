/**
 * Lists one level of a project folder, bounded in size: folders first, in natural order.
 */
import type { FileEntry, FileList } from '@crewagent/protocol/api/files';
import { hasInvisible, toPlainText } from '@crewagent/protocol/plain-text';
import { isIgnoredName } from '../base/ignored-names.ts';
import { parseStagingName } from '../base/staging.ts';
import { formatMountPath, type MountPath } from '../mounts/mount-path.ts';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import type { FolderEntry } from '../mounts/open-path.ts';
import type { IsSecret } from '../mounts/sensitive/secret-files.ts';
import type { TreeEntry } from '../mounts/tree-entry.ts';
import { toTimestamp } from './read-file.ts';

const MAX_ENTRIES = 5_000;
/** Entries are sorted and truncated whenever this many have been collected, which bounds memory. */
const POOL = 4 * MAX_ENTRIES;

export interface ListOptions {
  readonly tree: MountedTree;
  readonly isSecret: IsSecret;
  readonly includeHidden: boolean;
}

/** `folder`: resolved path; `path`: requested path. */
export async function listFolder(
  { path, folder }: { readonly path: MountPath; readonly folder: MountPath },
  { tree, isSecret, includeHidden }: ListOptions,
): Promise<FileList> {
  const picker = createFirstEntries();
  for await (const batch of tree.entries(folder)) {
    for (const entry of batch) if (isShown(entry.name, includeHidden)) picker.add(entry);
  }
  const entries = picker.first();
  const found = await tree.statAll(
    folder,
    entries.map(({ name }) => name),
  );
  return {
    path: formatMountPath(path),
    entries: entries.map((entry, index) =>
      toEntry(entry, found[index], isSecret([...folder.segments, entry.name])),
    ),
    total: picker.count,
    isTruncated: picker.count > entries.length,
  };
}

function isShown(name: string, includeHidden: boolean): boolean {
  if (parseStagingName(name)) return false;
  return includeHidden || !(name.startsWith('.') || isIgnoredName(name));
}

/** Collects the first `MAX_ENTRIES` in order, of any number. */
function createFirstEntries() {
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
      if (pool.length >= POOL) pool = this.first();
    },
    first: (): FolderEntry[] => pool.sort(inOrder).slice(0, MAX_ENTRIES),
  };
}

function toEntry({ name, kind }: FolderEntry, found: TreeEntry | undefined, isSecret: boolean): FileEntry {
  const shown = found?.kind ?? kind;
  return {
    name: toPlainText(name),
    kind: shown === 'special' ? 'other' : shown,
    bytes: found?.kind === 'file' ? found.bytes : undefined,
    modifiedAt: found && toTimestamp(found.modifiedMs),
    isSecret,
    isIgnored: isIgnoredName(name),
    // The entry was removed, or its name has an invalid encoding.
    isOutOfReach: found && isWritable(name) ? undefined : true,
  };
}

/** Whether a mount path can contain the name. */
function isWritable(name: string): boolean {
  return !hasInvisible(name) && !name.includes('\\');
}
