/**
 * Contents in a folder of this machine, shared by its processes: what one of them has fetched, the others need not fetch. A file gets its
 * name when it is complete, and its hash is compared when it is read; one that is damaged is deleted.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Of } from '@crewagent/core/store';
import type { Blobs } from './blobs.ts';

export interface BlobCacheOptions {
  readonly folder: string;
  /** The oldest contents are deleted above this size. */
  readonly maxBytes?: number;
}

/** Larger contents are read from the store each time. */
const MAX_CONTENT = 1_048_576;
const DEFAULT_BYTES = 2 * 1024 ** 3;

/** `blobs` with a cache for reading small contents. */
export function cacheBlobs(blobs: Blobs, { folder, maxBytes = DEFAULT_BYTES }: BlobCacheOptions): Blobs {
  let added = 0;
  let isTrimming = false;
  const made = new Set<string>();
  const pathOf = (sha256: string): string => join(folder, sha256.slice(0, 2), sha256.slice(2));

  const find = (sha256: string): Buffer | undefined => {
    const path = pathOf(sha256);
    try {
      const content = readFileSync(path);
      if (sha256Of(content) === sha256) return content;
      rmSync(path, { force: true });
    } catch {
      // Not there, or not readable: the store has it.
    }
    return undefined;
  };
  /** A cache that cannot be written, as on a full disk, is none. */
  const add = (sha256: string, content: Buffer): void => {
    if (content.length > MAX_CONTENT) return;
    const temp = join(folder, sha256.slice(0, 2), `.${randomUUID()}`);
    try {
      if (!made.has(sha256.slice(0, 2)))
        mkdirSync(join(folder, sha256.slice(0, 2)), { recursive: true, mode: 0o700 });
      made.add(sha256.slice(0, 2));
      writeFileSync(temp, content, { flag: 'wx', mode: 0o400 });
      renameSync(temp, pathOf(sha256));
    } catch {
      rmSync(temp, { force: true });
      made.clear();
    }
    added += content.length;
    if (added < maxBytes / 16 || isTrimming) return;
    added = 0;
    isTrimming = true;
    // Files that cannot be deleted are tried again the next time.
    void trim(folder, maxBytes)
      .catch(() => undefined)
      .finally(() => {
        isTrimming = false;
      });
  };
  return {
    ...blobs,
    async getSmall(sha256s) {
      const found = new Map<string, Buffer>();
      for (const sha256 of sha256s) {
        const content = find(sha256);
        if (content) found.set(sha256, content);
      }
      const missing = sha256s.filter((sha256) => !found.has(sha256));
      if (missing.length === 0) return found;
      for (const [sha256, content] of await blobs.getSmall(missing)) {
        add(sha256, content);
        found.set(sha256, content);
      }
      return found;
    },
  };
}

/** Deletes the oldest contents until nine tenths of the size are left, and what dead processes left half-written. */
export async function trim(folder: string, maxBytes: number): Promise<void> {
  const files: { path: string; bytes: number; addedMs: number }[] = [];
  for (const name of await readdir(folder, { recursive: true }).catch(() => [])) {
    const path = join(folder, name);
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isFile()) files.push({ path, bytes: stats.size, addedMs: stats.mtimeMs });
  }
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes <= maxBytes) return;
  for (const file of files.sort((one, other) => one.addedMs - other.addedMs)) {
    if (bytes <= maxBytes * 0.9) return;
    await rm(file.path, { force: true });
    bytes -= file.bytes;
  }
}
