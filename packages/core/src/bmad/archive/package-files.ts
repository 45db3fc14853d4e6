/**
 * The files of a package as validation and packing see them, from an archive or a folder.
 */
export interface PackageFiles {
  /** The paths of all files, `/`-separated, relative to the root of the package. */
  readonly paths: ReadonlySet<string>;
  /** The bytes of one file. Throws `DamagedFile` if they do not match what the container declared. */
  read(path: string): Promise<Buffer>;
}

/** A file the container lists but cannot deliver: damaged, truncated, or changed while it was read. */
export class DamagedFile extends Error {}
