/** The kind of an entry itself: links are not followed. */
import type { Dirent } from 'node:fs';

export type EntryKind = 'file' | 'folder' | 'link' | 'special';

export function kindOf(entry: Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): EntryKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'special';
}
