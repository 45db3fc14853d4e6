/**
 * Opens users' files; only mounted-tree.ts does so too, for direct actions of the user. Every access names a mount, is
 * walked to folder by folder, and ends at a regular file or folder inside that mount or is rejected. Real paths are
 * passed in once, at creation, and never returned.
 */
import { type BigIntStats, closeSync, fstatSync, lstatSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, systemError } from '../base/errno.ts';
import { foldName } from '../base/file-names.ts';
import { createExactEntries, type ExactEntries } from './exact-entries.ts';
import { checkIdentity, type FileIdentity, lstatIfPresent, toIdentity } from './file-identity.ts';
import { type OpenPath, type WalkOptions, walk, withOpenPath } from './folder-walk.ts';
import type { MountName, MountPath } from './mount-path.ts';
import {
  createReader,
  type FileReader,
  type FolderEntry,
  openRegularFile,
  readEntries,
  specialFileError,
} from './open-path.ts';
import { type ReplaceOptions, replaceAt, syncFolderOf } from './replace-file.ts';
import { isFileError, SandboxViolation } from './sandbox-violation.ts';
import { createHardLinkCheck, type IsSecretLink } from './sensitive/hard-links.ts';
import type { IsSecret } from './sensitive/secret-files.ts';

export interface MountRoots {
  /** Undefined if only a package or a state is accessed. */
  readonly project: string | undefined;
  /** Undefined in a plain chat. */
  readonly pkg: string | undefined;
  /** Undefined if a user views a project. */
  readonly state: string | undefined;
  /** Nothing in these folders outlives the process: writes are atomic, and not synced. */
  readonly isThrowaway?: boolean | undefined;
}

export interface OpenFile {
  readonly handle: FileReader;
  readonly bytes: number;
  readonly mode: number;
  readonly modifiedMs: number;
  readonly identity: FileIdentity;
  /** Path of the file in its mount, links resolved. */
  readonly path: MountPath;
}

export interface MountedFs {
  /** Resolves links; trailing segments need not exist. Write methods expect a resolved path. */
  resolve(path: MountPath, access: 'read' | 'write'): MountPath;
  /** Opens a regular file for reading, passes it to `use`, and closes it. */
  withFile<T>(path: MountPath, use: (file: OpenFile) => Promise<T>): Promise<T>;
  /** Of a file at the top of a mount, without opening it; undefined if it is not known that cheaply. */
  identityOf(path: MountPath): FileIdentity | undefined;
  /** Kind of an entry in the project; a link has the kind of its target. For checks, not for tools: nothing is opened. */
  kindOf(segments: readonly string[]): 'file' | 'folder' | undefined;
  /** Entries of a folder in batches, unordered. */
  entries(path: MountPath): AsyncGenerator<readonly FolderEntry[]>;
  /** Atomically replaces or creates a file, including missing folders. */
  replace(path: MountPath, content: Uint8Array, options: ReplaceOptions): Promise<FileIdentity>;
  /** Creates a folder and its missing parents. */
  makeFolder(path: MountPath): Promise<void>;
  /** Removes a regular file. */
  remove(path: MountPath, expected?: FileIdentity): Promise<void>;
  /** Passes `use` a path of the folder for another program, valid while `use` runs. */
  withFolder<T>(path: MountPath, use: (folderPath: string) => Promise<T>): Promise<T>;
  /** Entries themselves, for what programs changed. */
  readonly exact: ExactEntries;
}

export function createMountedFs(roots: MountRoots, isSecret: IsSecret): MountedFs {
  const { locate, locateExactly, resolve } = createMountPaths(roots, isSecret);
  const { isThrowaway = false } = roots;
  const isSynced = !isThrowaway;
  let isSecretLink: IsSecretLink | undefined;
  /** What the name alone does not show. */
  const checkSecretFile = async (segments: readonly string[], stats: BigIntStats): Promise<void> => {
    if (isSecret(segments, true)) throw secretFileError();
    if (stats.nlink < 2n || roots.project === undefined) return;
    isSecretLink ??= createHardLinkCheck(roots.project, isSecret);
    if (await isSecretLink(stats))
      throw new SandboxViolation('secret', 'is another name of a secret file, which tools cannot access');
  };
  return {
    resolve,
    exact: createExactEntries((path, access, makeFolders = false) =>
      locate(path, access, { isExact: true, makeFolders }),
    ),

    async withFile(path, use) {
      const openPath = locate(path, 'read');
      let descriptor: number | undefined;
      try {
        descriptor = openRegularFile(openPath);
        const stats = fstatSync(descriptor, { bigint: true });
        openPath.verify();
        if (stats.isDirectory()) throw systemError('EISDIR');
        if (!stats.isFile()) throw specialFileError();
        if (path.mount === '@project') await checkSecretFile(openPath.segments, stats);
        const bytes = Number(stats.size);
        return await use({
          handle: createReader(descriptor, bytes),
          bytes,
          mode: Number(stats.mode) & 0o777,
          modifiedMs: Number(stats.mtimeMs),
          identity: toIdentity(stats),
          path: { mount: path.mount, segments: openPath.segments },
        });
      } finally {
        if (descriptor !== undefined) closeSync(descriptor);
        openPath.close();
      }
    },

    identityOf({ mount, segments: [name, ...others] }) {
      const root = roots[ROOT_OF[mount]];
      if (root === undefined || name === undefined || others.length > 0) return undefined;
      const stats = lstatIfPresent(join(root, name));
      return stats && toIdentity(stats);
    },

    kindOf: (segments) => (roots.project === undefined ? undefined : kindOf(roots.project, segments)),

    async *entries(path) {
      const openPath = locate(path, 'read', { enterLast: true });
      try {
        yield* readEntries(openPath);
      } finally {
        openPath.close();
      }
    },

    replace: async (path, content, options) =>
      withOpenPath(locateExactly(path, { makeFolders: true }), (openPath) =>
        replaceAt(openPath, content, { isSynced, isThrowaway, ...options }, modeIn(path)),
      ),

    async makeFolder(path) {
      locate(path, 'write', { enterLast: true, makeFolders: true }).close();
    },

    remove: async (path, expected) =>
      withOpenPath(locateExactly(path), async (openPath) => {
        openPath.verify();
        if (expected) checkIdentity(openPath.filePath, expected);
        unlinkSync(openPath.filePath);
        if (isSynced) await syncFolderOf(openPath);
      }),

    withFolder: async (path, use) =>
      withOpenPath(locate(path, 'read', { enterLast: true }), ({ folderPath }) => use(folderPath)),
  };
}

/** Of a new file. */
function modeIn({ mount }: MountPath): number {
  return mount === '@state' ? 0o600 : 0o666;
}

/** A link whose target is missing or outside counts as a file: only its kind is told, and only to checks. */
function kindOf(root: string, segments: readonly string[]): 'file' | 'folder' | undefined {
  let openPath: OpenPath;
  try {
    openPath = walk(root, segments, { isExact: true });
  } catch (error) {
    if (isFileError(error)) return undefined;
    throw error;
  }
  try {
    const entry = lstatSync(openPath.filePath, { throwIfNoEntry: false });
    if (!entry) return undefined;
    const target = entry.isSymbolicLink() ? statSync(openPath.filePath, { throwIfNoEntry: false }) : entry;
    return target?.isDirectory() ? 'folder' : 'file';
  } finally {
    openPath.close();
  }
}

const ROOT_OF = { '@project': 'project', '@pkg': 'pkg', '@state': 'state' } as const;

function createMountPaths(roots: MountRoots, isSecret: IsSecret) {
  const isSynced = !roots.isThrowaway;
  const rootOf = (mount: MountName): string => {
    const [root, owner] = {
      '@project': [roots.project, 'project'] as const,
      '@pkg': [roots.pkg, 'package'] as const,
      '@state': [roots.state, 'run'] as const,
    }[mount];
    if (root === undefined) throw new SandboxViolation('path', `needs a ${owner}, but none is open`);
    return root;
  };

  const locate = (path: MountPath, access: 'read' | 'write', options: WalkOptions = {}): OpenPath => {
    checkAccess(path, access, isSecret);
    const openPath = walk(rootOf(path.mount), path.segments, isSynced ? options : { ...options, isSynced });
    try {
      // Deny rules also apply to the resolved path.
      checkAccess({ mount: path.mount, segments: openPath.segments }, access, isSecret);
      return openPath;
    } catch (error) {
      openPath.close();
      throw error;
    }
  };

  const resolve = (path: MountPath, access: 'read' | 'write'): MountPath => {
    try {
      const openPath = locate(path, access);
      openPath.close();
      return { mount: path.mount, segments: openPath.segments };
    } catch (error) {
      const last = path.segments.at(-1);
      if (errnoOf(error) !== 'ENOENT' || last === undefined) throw error;
      const parent = resolve({ mount: path.mount, segments: path.segments.slice(0, -1) }, access);
      const resolved = { mount: path.mount, segments: [...parent.segments, last] };
      checkAccess(resolved, access, isSecret);
      return resolved;
    }
  };

  /** The path to write must not have changed since it was resolved: a link placed there since is not followed. */
  const locateExactly = (path: MountPath, options: WalkOptions = {}): OpenPath => {
    const openPath = locate(path, 'write', options);
    if (openPath.segments.join('/') === path.segments.join('/')) return openPath;
    openPath.close();
    throw new SandboxViolation('link', 'was changed while it was being written');
  };

  return { locate, locateExactly, resolve };
}

function checkAccess(path: MountPath, access: 'read' | 'write', isSecret: IsSecret): void {
  if (access === 'write' && path.mount === '@pkg')
    throw new SandboxViolation('read-only', 'is in the package, which cannot be changed');
  if (path.mount === '@project' && isSecret(path.segments)) throw secretFileError();
  const [first = ''] = path.segments;
  if (path.mount === '@state' && foldName(first) === 'workflow.md' && first !== 'workflow.md')
    throw new SandboxViolation('private', 'is another spelling of @state/workflow.md');
}

function secretFileError(): SandboxViolation {
  return new SandboxViolation('secret', 'is a secret file, which tools cannot access');
}
