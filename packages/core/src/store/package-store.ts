/** The port to installed packages: folders of files under the hash of their archive, never changed once installed. Types only. */
import type { FileHashes } from '@crewagent/protocol/installed-package';
import type { PackageOrigin } from '@crewagent/protocol/package-origin';
import type { PackageSeal } from '../mounts/package-seal.ts';
import type { StoredDocument } from './stored-document.ts';

export interface PackageStore {
  /** Signers of packages, trusted keys, and indexes to find packages in. */
  readonly sharing: StoredDocument;
  /** The real folder that is mounted as `@pkg`; its files are there once the package was found or its seal opened. */
  folder(hash: string): string;
  /** Unordered. Also removes what killed processes left behind. */
  list(): Promise<StoredPackage[]>;
  /** Undefined if it is not installed. */
  find(hash: string): Promise<StoredPackage | undefined>;
  /**
   * Installs the files that `write` creates in the folder it gets, and whose hashes it returns. Atomic. False if the package is
   * there already, also if another process installed it meanwhile; a damaged one is replaced.
   */
  add(hash: string, write: (folder: string) => Promise<FileHashes>): Promise<boolean>;
  /** What the files of the package must be. */
  seal(hash: string): Promise<PackageSeal>;
  remove(hash: string): Promise<void>;
  /** A private folder for a package that is not installed; removed at the latest after this process has ended. */
  makeScratch(): Promise<ScratchFolder>;
  /** Unfinished runs of the package, and conversations with one of its agents that are not archived. */
  users(hash: string): Promise<PackageUsers>;
  /** Where the package was installed from; undefined if that is not known. */
  readOrigin(hash: string): Promise<PackageOrigin | undefined>;
  writeOrigin(hash: string, origin: PackageOrigin): Promise<void>;
  /** The validated package from a cache; undefined if it is not there, or of another version. */
  readCompiled(hash: string): Promise<unknown>;
  /** Ignores disk errors: the cache only saves time. */
  writeCompiled(hash: string, compiled: unknown): Promise<void>;
}

export interface StoredPackage {
  readonly hash: string;
  readonly installedAt: string;
}

/** Ids of the Works that need a package, and of their projects. */
export interface PackageUsers {
  readonly runs: readonly string[];
  readonly conversations: readonly string[];
  readonly projectIds: ReadonlySet<string>;
}

export interface ScratchFolder {
  readonly path: string;
  remove(): Promise<void>;
}
