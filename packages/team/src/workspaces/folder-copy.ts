/**
 * A copy of a project's tree in a real folder. What is in it is known by the identity of each file (inode, size, times), so that an earlier
 * copy is brought up to date by what differs; a file that a crash or a full disk left half-written has no known identity.
 */
import { createHash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  createReadStream,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { errnoOf } from '@crewagent/core';
import { sha256Of } from '@crewagent/core/store';
import { type Blobs, requireBlob } from '../blobs/blobs.ts';
import { type Found, findEntries, identityAt, statEntries } from './folder-entries.ts';
import { isSameEntry, type ProjectEntry } from './project-entry.ts';
import { parentOf, type Tree } from './project-tree.ts';

export interface FolderCopy {
  /** Holds the folder and what is known of it. */
  readonly home: string;
  /** The real folder with the tree. */
  readonly folder: string;
  readonly known: Map<string, KnownFile>;
  /**
   * Files changed before this time have the content that is known if they have the identity that is known. After it, a change within one
   * tick of the file system's clock could have left the same times.
   */
  settledNs: bigint;
}

interface KnownFile {
  readonly identity: string;
  readonly sha256: string;
}

export async function openFolderCopy(home: string): Promise<FolderCopy> {
  const folder = join(home, 'project');
  mkdirSync(join(home, 'staging'), { recursive: true, mode: 0o700 });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(home, 'known.json');
  const text = await readFile(file, 'utf8').catch(() => '[]');
  return { home, folder, known: new Map(parseKnown(text)), settledNs: settledAt(file) };
}

/** Longer than a tick of any clock. */
const TICK_NS = 20_000_000n;

function settledAt(file: string): bigint {
  const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return stats ? stats.mtimeNs - TICK_NS : 0n;
}

function parseKnown(text: string): [string, KnownFile][] {
  try {
    return JSON.parse(text) as [string, KnownFile][];
  } catch {
    return [];
  }
}

export interface SyncOptions {
  readonly blobs: Blobs;
  /** For readers: nothing of ours writes to a file without the permission. */
  readonly isReadOnly?: boolean;
  /** What the folder has, if nobody else writes to it: only what differs is looked at. */
  readonly since?: Tree | undefined;
}

/** Makes the folder equal to the tree. Each file is replaced atomically. */
export async function syncFolder(copy: FolderCopy, tree: Tree, options: SyncOptions): Promise<void> {
  const { since } = options;
  if (since)
    try {
      return await syncEntries(copy, tree, options, findDifferences(since, tree));
    } catch (error) {
      // Somebody else has written to it after all.
      if (errnoOf(error) === undefined) throw error;
    }
  await syncEntries(copy, tree, options, undefined);
}

/** Paths that differ, each after the folders that it is in. */
function findDifferences(since: Tree, tree: Tree): Set<string> {
  const paths = new Set<string>();
  const add = (path: string): void => {
    if (path === '' || paths.has(path)) return;
    add(parentOf(path));
    paths.add(path);
  };
  for (const [path, entry] of tree) if (!isSameEntry(entry, since.get(path))) add(path);
  for (const path of since.keys()) if (!tree.has(path)) add(path);
  return paths;
}

/** `scope`: undefined for everything. */
async function syncEntries(
  copy: FolderCopy,
  tree: Tree,
  options: SyncOptions,
  scope: ReadonlySet<string> | undefined,
): Promise<void> {
  const { folder, home, known } = copy;
  rmSync(join(home, 'staging'), { recursive: true, force: true });
  mkdirSync(join(home, 'staging'), { mode: 0o700 });
  const found = scope ? statEntries(folder, scope) : await findEntries(folder);
  const folders = new Set<string>();
  for (const [path, { kind }] of tree)
    for (
      let name = kind === 'folder' ? path : parentOf(path);
      name !== '' && !folders.has(name);
      name = parentOf(name)
    )
      folders.add(name);
  const isInScope = (path: string): boolean => scope === undefined || scope.has(path);
  const missing = new Map([...tree].filter(([path]) => isInScope(path)));
  for (const [path, entry] of found) {
    if (entry.kind === 'folder') continue;
    const wanted = tree.get(path);
    if (wanted && (await hasContent(copy, path, entry, wanted))) {
      missing.delete(path);
      if (entry.kind === 'file' && entry.isExecutable !== (wanted.isExecutable === true)) {
        chmodSync(join(folder, path), modeOf(wanted, options));
        known.set(path, { identity: identityAt(join(folder, path)), sha256: wanted.sha256 });
      }
    } else {
      known.delete(path);
      if (wanted?.kind !== 'file' || entry.kind !== 'file') rmSync(join(folder, path));
    }
  }
  const extra = [...found].filter(([path, { kind }]) => kind === 'folder' && !folders.has(path));
  for (const [path] of extra.reverse()) rmdirSync(join(folder, path));
  for (const path of [...folders].sort())
    if (isInScope(path) && found.get(path)?.kind !== 'folder') mkdirSync(join(folder, path), { mode: 0o755 });
  await writeMissing(copy, missing, options);
  for (const path of known.keys()) if (!tree.has(path)) known.delete(path);
  await saveKnown(copy);
}

async function hasContent(
  copy: FolderCopy,
  path: string,
  found: Found,
  wanted: ProjectEntry,
): Promise<boolean> {
  if (found.kind !== wanted.kind) return false;
  if (found.kind === 'file' && found.bytes !== wanted.bytes) return false;
  return (await readHash(copy, path, found)) === wanted.sha256;
}

/** Hash of a file or of the target of a link; read only if it is not known. */
export async function readHash(copy: FolderCopy, path: string, found: Found): Promise<string> {
  const { folder, known, settledNs } = copy;
  const before = known.get(path);
  if (before?.identity === found.identity && found.changedNs < settledNs) return before.sha256;
  const file = join(folder, path);
  const sha256 =
    found.kind === 'link' ? sha256Of(readlinkSync(file, 'buffer')) : await hashFile(file, found.bytes);
  known.set(path, { identity: found.identity, sha256 });
  return sha256;
}

/** Not in the thread pool for small files, where each would take several times as long. */
async function hashFile(file: string, bytes: number): Promise<string> {
  if (bytes <= SYNC_BYTES) return sha256Of(readFileSync(file));
  const hash = createHash('sha256');
  for await (const part of createReadStream(file, { highWaterMark: 1_048_576 })) hash.update(part as Buffer);
  return hash.digest('hex');
}

/** Contents of one request to the store. */
const BATCH = { files: 500, bytes: 8 * 1_048_576 };
/** Larger files are written part by part. */
const SMALL_BYTES = 1_048_576;
const SYNC_BYTES = 64 * 1024;

async function writeMissing(copy: FolderCopy, missing: Tree, options: SyncOptions): Promise<void> {
  let batch: [string, ProjectEntry][] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    const contents = await options.blobs.getSmall([...new Set(batch.map(([, { sha256 }]) => sha256))]);
    let turnStart = performance.now();
    for (const [path, entry] of batch) {
      const content = contents.get(entry.sha256);
      await putEntry(copy, path, entry, options, content);
      if (performance.now() - turnStart < 8) continue;
      await nextTurn();
      turnStart = performance.now();
    }
    batch = [];
    bytes = 0;
  };
  for (const [path, entry] of missing) {
    if (entry.kind === 'folder') continue;
    if (entry.bytes > SMALL_BYTES) {
      await putEntry(copy, path, entry, options, undefined);
      continue;
    }
    batch.push([path, entry]);
    bytes += entry.bytes;
    if (batch.length >= BATCH.files || bytes >= BATCH.bytes) await flush();
  }
  if (batch.length > 0) await flush();
}

/** Written beside the folder and then moved, so that readers of the folder see all of it or nothing. */
async function putEntry(
  { home, folder, known }: FolderCopy,
  path: string,
  entry: ProjectEntry,
  options: SyncOptions,
  content: Buffer | undefined,
): Promise<void> {
  const staged = join(home, 'staging', randomUUID());
  const mode = modeOf(entry, options);
  if (entry.kind === 'link') symlinkSync(content ?? (await requireBlob(options.blobs, entry.sha256)), staged);
  else if (content && content.length <= SYNC_BYTES) writeFileSync(staged, content, { flag: 'wx', mode });
  else await writeFile(staged, content ?? options.blobs.read(entry.sha256), { flag: 'wx', mode });
  renameSync(staged, join(folder, path));
  known.set(path, { identity: identityAt(join(folder, path)), sha256: entry.sha256 });
}

function modeOf({ isExecutable }: ProjectEntry, { isReadOnly }: SyncOptions): number {
  return (isExecutable ? 0o755 : 0o644) & (isReadOnly ? 0o555 : 0o777);
}

async function saveKnown(copy: FolderCopy): Promise<void> {
  const staged = join(copy.home, 'staging', 'known.json');
  await writeFile(staged, JSON.stringify([...copy.known]), { mode: 0o600 });
  const file = join(copy.home, 'known.json');
  renameSync(staged, file);
  copy.settledNs = settledAt(file);
}
