/**
 * What validation and packing see of a package, whether it is an archive or a folder.
 */
export interface PackageFiles {
  /** The paths of all files, `/`-separated, relative to the root of the package. */
  readonly paths: ReadonlySet<string>;
  /** The bytes of one file. Throws `DamagedFile` when the container lied about it. */
  read(path: string): Promise<Buffer>;
}

/** The container promised a file that it cannot deliver: damaged, cut off, or changed while being read. */
export class DamagedFile extends Error {}
