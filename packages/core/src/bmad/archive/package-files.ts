/**
 * The files of a package as validation and packing see them, from an archive or a folder.
 */
import { posix } from 'node:path';

export interface PackageFiles {
  /** The paths of all files, `/`-separated, relative to the root of the package. */
  readonly paths: ReadonlySet<string>;
  /** The bytes of one file. Throws `DamagedFile` if they do not match what the container declared. */
  read(path: string): Promise<Buffer>;
}

/** Every folder that holds a file, at any depth. */
export function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  for (const path of paths)
    for (let at = posix.dirname(path); at !== '.' && !folders.has(at); at = posix.dirname(at))
      folders.add(at);
  return folders;
}

/** A file the container lists but cannot deliver: damaged, truncated, or changed while it was read. */
export class DamagedFile extends Error {}
