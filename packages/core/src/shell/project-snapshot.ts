/**
 * What a command changed in the project: the small files are read before it, and compared after it. Reads only through mounts.
 * Bounded in files and bytes; what is beyond the bounds is named, not recorded.
 */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../base/errno.ts';
import { isIgnoredName } from '../base/ignored-names.ts';
import type { MountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';
import type { IsSecret } from '../mounts/sensitive/secret-files.ts';

export interface SnapshotLimits {
  readonly maxEntries: number;
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
}

const LIMITS: SnapshotLimits = {
  maxEntries: 20_000,
  maxFileBytes: 1_048_576,
  maxTotalBytes: 64 * 1_048_576,
};

interface KnownFile {
  /** Identity, size and times: another stamp means that the file was touched. */
  readonly stamp: string;
  readonly mode: number;
  /** Undefined for a file beyond the bounds, and for anything that is not a regular file. */
  readonly content: Buffer | undefined;
}

export interface ProjectSnapshot {
  /** By path in the project. */
  readonly files: ReadonlyMap<string, KnownFile>;
  /** `.git` folders and files, by path in the project. */
  readonly gitFolders: readonly string[];
  /** Files and folders that tools must not read. */
  readonly secrets: readonly { readonly path: string; readonly isFolder: boolean }[];
  /** False if the project has more entries than are recorded. */
  readonly isComplete: boolean;
}

export interface FileChange {
  /** Path in the project. */
  readonly path: string;
  readonly kind: 'created' | 'changed' | 'deleted';
  readonly before: Buffer | undefined;
  readonly after: Buffer | undefined;
  readonly mode: number | undefined;
  /** False if a content is not known, so that the change cannot be undone. */
  readonly isRecorded: boolean;
}

export interface SnapshotOptions {
  readonly files: MountedFs;
  readonly isSecret: IsSecret;
  readonly limits?: SnapshotLimits;
  /** Files that were not touched since are not read again. */
  readonly previous?: ProjectSnapshot | undefined;
}

export async function takeSnapshot(options: SnapshotOptions): Promise<ProjectSnapshot> {
  const { files, isSecret, limits = LIMITS, previous } = options;
  const known = new Map<string, KnownFile>();
  const gitFolders: string[] = [];
  const secrets: { path: string; isFolder: boolean }[] = [];
  let entries = 0;
  let bytes = 0;
  const pending: string[][] = [[]];
  for (let folder = pending.pop(); folder && entries < limits.maxEntries; folder = pending.pop()) {
    for (const { name, kind, stamp, mode, size } of await readFolder(files, folder)) {
      if (++entries > limits.maxEntries) break;
      const segments = [...folder, name];
      const path = segments.join('/');
      const isLink = kind === 'other';
      if (name.toLowerCase() === '.git' && !isLink) gitFolders.push(path);
      else if (isSecret(segments) && !isLink) secrets.push({ path, isFolder: kind === 'folder' });
      else if (isIgnoredName(name)) continue;
      else if (kind === 'folder') pending.push(segments);
      else {
        const isSmall =
          kind === 'file' && size <= limits.maxFileBytes && bytes + size <= limits.maxTotalBytes;
        const old = previous?.files.get(path);
        const isSame = old?.stamp === stamp && old.content !== undefined;
        const content = isSmall ? (isSame ? old.content : await readContent(files, segments)) : undefined;
        bytes += content?.length ?? 0;
        known.set(path, { stamp, mode, content });
      }
    }
  }
  return { files: known, gitFolders, secrets, isComplete: entries <= limits.maxEntries };
}

interface Entry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'other';
  readonly stamp: string;
  readonly mode: number;
  readonly size: number;
}

/** Sorted by name, so that the bounds exclude the same files each time. An unreadable folder is empty. */
async function readFolder(files: MountedFs, segments: readonly string[]): Promise<Entry[]> {
  try {
    return await files.withFolder(toProjectPath(segments), async (folder) => {
      const names = (await readdir(folder)).sort();
      const entries = await Promise.all(names.map((name) => readEntry(folder, name)));
      return entries.flat();
    });
  } catch (error) {
    if (errnoOf(error) === undefined && !(error instanceof SandboxViolation)) throw error;
    return [];
  }
}

async function readEntry(folder: string, name: string): Promise<Entry[]> {
  try {
    const stats = await lstat(join(folder, name), { bigint: true });
    const { ino, size, mtimeNs, ctimeNs } = stats;
    const kind = stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other';
    const stamp = `${kind} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
    return [{ name, kind, stamp, mode: Number(stats.mode) & 0o777, size: Number(size) }];
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return [];
  }
}

async function readContent(files: MountedFs, segments: readonly string[]): Promise<Buffer | undefined> {
  try {
    return await files.withFile(toProjectPath(segments), ({ handle }) => handle.readFile());
  } catch (error) {
    if (errnoOf(error) === undefined && !(error instanceof SandboxViolation)) throw error;
    return undefined;
  }
}

export function toProjectPath(segments: readonly string[]): MountPath {
  return { mount: '@project', segments };
}

/** In the order of their paths. A file that was touched and has its old content is not a change. */
export function compareSnapshots(before: ProjectSnapshot, after: ProjectSnapshot): FileChange[] {
  const changes: FileChange[] = [];
  for (const path of [...new Set([...before.files.keys(), ...after.files.keys()])].sort()) {
    const [old, now] = [before.files.get(path), after.files.get(path)];
    if (old?.stamp === now?.stamp) continue;
    if (old?.content && now?.content && old.content.equals(now.content)) continue;
    changes.push({
      path,
      kind: old ? (now ? 'changed' : 'deleted') : 'created',
      before: old?.content,
      after: now?.content,
      mode: old?.mode,
      isRecorded: (!old || old.content !== undefined) && (!now || now.content !== undefined),
    });
  }
  return changes;
}
