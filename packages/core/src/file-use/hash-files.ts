/**
 * SHA-256 of project files as they are now. A file is read again only if it may have changed: its identity, size and times are the key
 * of a cache that all Works of the process share.
 */
import { createHash } from 'node:crypto';
import { errnoOf } from '../base/errno.ts';
import { parseMountPath } from '../mounts/mount-path.ts';
import type { MountedFs, OpenFile } from '../mounts/mounted-fs.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';

/** By full mount path; null: there is no such file. Files that may not be read are left out. */
export async function hashFiles(
  paths: Iterable<string>,
  files: Pick<MountedFs, 'withFile'>,
  signal?: AbortSignal,
): Promise<Map<string, string | null>> {
  const hashes = new Map<string, string | null>();
  for (const path of paths) {
    signal?.throwIfAborted();
    const sha256 = await hashFile(path, files);
    if (sha256 !== undefined) hashes.set(path, sha256);
  }
  return hashes;
}

async function hashFile(
  path: string,
  files: Pick<MountedFs, 'withFile'>,
): Promise<string | null | undefined> {
  const parsed = parseMountPath(path);
  if (!parsed.ok || parsed.path.mount !== '@project') return undefined;
  try {
    return await files.withFile(parsed.path, hashOpened);
  } catch (error) {
    if (error instanceof SandboxViolation) return undefined;
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return GONE.has(errno) ? null : undefined;
  }
}

const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR']);

const MAX_CACHED = 20_000;
/** Shared by the process: what a key names has one content. */
const cache = new Map<string, string>();
/** A file that changed so recently may change again within one tick of the clock of its file system. */
const SETTLED_MS = 2_000;
const CHUNK_BYTES = 1_048_576;

async function hashOpened({ handle, bytes, identity, modifiedMs }: OpenFile): Promise<string> {
  const { device, inode, size, changedNs } = identity;
  const key = [device, inode, size, changedNs, modifiedMs].join(':');
  const known = cache.get(key);
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(bytes, CHUNK_BYTES)));
  for (let at = 0; ; ) {
    const read = await handle.read(buffer, at);
    if (read === 0) break;
    hash.update(buffer.subarray(0, read));
    at += read;
  }
  const sha256 = hash.digest('hex');
  if (Date.now() - Number(changedNs / 1_000_000n) > SETTLED_MS) remember(key, sha256);
  return sha256;
}

function remember(key: string, sha256: string): void {
  const [oldest] = cache.keys();
  if (cache.size >= MAX_CACHED && oldest !== undefined) cache.delete(oldest);
  cache.set(key, sha256);
}
