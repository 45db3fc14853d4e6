/**
 * Lists everything below a folder. Never follows a link, unlike recursive listings of Node, which do so depending on its version: a link
 * may lead outside, or back.
 */
import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';

export interface TreeEntry {
  /** Relative to the folder, with slashes. */
  readonly path: string;
  readonly entry: Dirent;
}

/** A folder comes before its content. */
export function* listTree(folder: string, inside = ''): Generator<TreeEntry, void> {
  for (const entry of readdirSync(join(folder, inside), { withFileTypes: true })) {
    const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
    yield { path, entry };
    if (entry.isDirectory()) yield* listTree(folder, path);
  }
}
