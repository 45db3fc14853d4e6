/**
 * Entries of a mount themselves, for what programs changed: links are neither followed nor resolved, neither along the path nor at
 * its end. Files, links and folders are put in place atomically, with their permissions.
 */
import { closeSync, fchmodSync, fstatSync, mkdirSync, readlinkSync, rmdirSync, unlinkSync } from 'node:fs';
import { commitFile, commitLink, writeAll } from '../base/durable-files.ts';
import { errnoOf } from '../base/errno.ts';
import { checkIdentity, type FileIdentity } from './file-identity.ts';
import { type OpenPath, withOpenPath } from './folder-walk.ts';
import type { MountPath } from './mount-path.ts';
import { createReader, openRegularFile, specialFileError } from './open-path.ts';
import { syncFolderOf } from './replace-file.ts';
import { statEntry, type TreeEntry, toTreeEntry } from './tree-entry.ts';

export interface ExactEntries {
  /** Undefined if the entry does not exist. The content of a link is its target. */
  read(path: MountPath, options?: { readonly maxBytes?: number }): Promise<ExactEntry | undefined>;
  /** The content of a file of any size. */
  chunks(path: MountPath): AsyncGenerator<Buffer>;
  /** Creates or replaces an entry, including missing folders. */
  put(path: MountPath, entry: NewEntry, options: PutOptions): Promise<void>;
  /** Removes a file, a link or an empty folder. */
  remove(path: MountPath, options?: Pick<PutOptions, 'expected' | 'isSynced'>): Promise<void>;
}

export interface ExactEntry extends Pick<TreeEntry, 'kind' | 'mode' | 'identity' | 'bytes'> {
  /** Undefined for a folder, a special file, and a file above `maxBytes`. */
  readonly content: Buffer | undefined;
}

export type NewEntry =
  | { readonly kind: 'file'; readonly content: Uint8Array | AsyncIterable<Uint8Array>; readonly mode: number }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder'; readonly mode?: number | undefined };

/** An entry as it is put elsewhere. `chunks`: the content of a file that was not read. */
export function toNewEntry({ kind, mode, content }: ExactEntry, chunks: AsyncIterable<Uint8Array>): NewEntry {
  if (kind === 'folder') return { kind, mode };
  if (kind === 'link') return { kind, target: content?.toString() ?? '' };
  return { kind: 'file', mode, content: content ?? chunks };
}

export interface PutOptions {
  /** What the change is based on; any other entry rejects it. */
  readonly expected?: FileIdentity | 'absent' | undefined;
  readonly tempName: string;
  /** False if the caller makes many entries durable at once. */
  readonly isSynced?: boolean;
}

/** Opens the folder of an entry, without following links. */
type Locate = (path: MountPath, access: 'read' | 'write', makeFolders?: boolean) => OpenPath;

const CHUNK_BYTES = 1_048_576;

export function createExactEntries(locate: Locate): ExactEntries {
  return {
    async read(path, { maxBytes = Number.POSITIVE_INFINITY } = {}) {
      try {
        return await withOpenPath(locate(path, 'read'), (openPath) => readEntry(openPath, maxBytes));
      } catch (error) {
        if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
        throw error;
      }
    },

    async *chunks(path) {
      const openPath = locate(path, 'read');
      let descriptor: number | undefined;
      try {
        descriptor = openRegularFile(openPath);
        const stats = fstatSync(descriptor);
        if (!stats.isFile()) throw specialFileError();
        const reader = createReader(descriptor, stats.size);
        for (let at = 0; at < stats.size; ) {
          const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, stats.size - at));
          const filled = await reader.read(chunk, at);
          if (filled === 0) return;
          yield chunk.subarray(0, filled);
          at += filled;
        }
      } finally {
        if (descriptor !== undefined) closeSync(descriptor);
        openPath.close();
      }
    },

    put: async (path, entry, { expected, tempName, isSynced = true }) =>
      withOpenPath(locate(path, 'write', true), async (openPath) => {
        const check = (): void => {
          openPath.verify();
          if (expected) checkIdentity(openPath.filePath, expected);
        };
        if (entry.kind === 'folder') {
          check();
          mkdirSync(openPath.filePath, entry.mode === undefined ? {} : { mode: entry.mode });
        } else await commitEntry(openPath, entry, { tempName, isSynced, check });
        if (isSynced) await syncFolderOf(openPath);
      }),

    remove: async (path, { expected, isSynced = true } = {}) =>
      withOpenPath(locate(path, 'write'), async (openPath) => {
        openPath.verify();
        if (expected) checkIdentity(openPath.filePath, expected);
        if (statEntry(openPath.filePath)?.kind === 'folder') rmdirSync(openPath.filePath);
        else unlinkSync(openPath.filePath);
        if (isSynced) await syncFolderOf(openPath);
      }),
  };
}

async function readEntry(openPath: OpenPath, maxBytes: number): Promise<ExactEntry | undefined> {
  const found = statEntry(openPath.filePath);
  if (!found) return undefined;
  if (found.kind === 'link')
    return { ...found, content: readlinkSync(openPath.filePath, { encoding: 'buffer' }) };
  if (found.kind !== 'file' || found.bytes > maxBytes) return { ...found, content: undefined };
  const descriptor = openRegularFile(openPath);
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    if (!stats.isFile()) throw specialFileError();
    const entry = toTreeEntry(stats);
    return { ...entry, content: await createReader(descriptor, entry.bytes).readFile() };
  } finally {
    closeSync(descriptor);
  }
}

async function commitEntry(
  { filePath, folderPath }: OpenPath,
  entry: Exclude<NewEntry, { kind: 'folder' }>,
  { tempName, isSynced, check }: { tempName: string; isSynced: boolean; check(): void },
): Promise<void> {
  const temp = `${folderPath}/${tempName}`;
  if (entry.kind === 'link') {
    commitLink(filePath, { temp, target: entry.target, check });
    return;
  }
  await commitFile(filePath, {
    temp,
    mode: 0o600,
    isSynced,
    async fill(descriptor) {
      fchmodSync(descriptor, entry.mode & 0o777);
      if (entry.content instanceof Uint8Array) await writeAll(descriptor, entry.content);
      else for await (const chunk of entry.content) await writeAll(descriptor, chunk);
    },
    check,
    // The caller syncs the folder.
    syncFolder: () => Promise.resolve(),
  });
}
