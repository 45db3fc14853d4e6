/**
 * Whole trees of files kept in the store, so that they can be put back: one file with all contents, one that says what they
 * are. The second is written last: where it is, everything is.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type SnapshotEntry, type TreeSnapshot, treeSnapshotSchema } from '@crewagent/protocol/file-journal';
import { replaceFile, type WriteChunk } from '../base/durable-files.ts';
import { errnoOf } from '../base/errno.ts';
import { mapLimit } from '../base/map-limit.ts';
import type { MountPath } from '../mounts/mount-path.ts';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import type { FileReader } from '../mounts/open-path.ts';
import type { TreeVisit } from '../mounts/visit-tree.ts';
import { readJson } from './read-json.ts';

export interface SnapshotLocation {
  readonly folder: string;
  readonly id: string;
}

/** Thrown when what was kept is no longer what it was. */
export class DamagedTree extends Error {}

const PIECE_BYTES = 1_048_576;
const FILES_AT_ONCE = 8;

/** Durable when this resolves. */
export async function keepTree(tree: MountedTree, path: MountPath, place: SnapshotLocation): Promise<void> {
  const entries: SnapshotEntry[] = [];
  await replaceFile(dataFile(place), async (write) => {
    for await (const visit of tree.visit(path))
      if (!visit.isLeaving) entries.push(await keepEntry(visit, write));
  });
  const manifest: TreeSnapshot = { schemaVersion: 1, entries };
  await replaceFile(manifestFile(place), JSON.stringify(manifest));
}

export function readSnapshot(place: SnapshotLocation): Promise<TreeSnapshot | undefined> {
  return readJson(manifestFile(place), treeSnapshotSchema);
}

export async function dropSnapshot(folder: string, id: string): Promise<void> {
  // The description first: without it the rest is nothing.
  for (const file of [manifestFile({ folder, id }), dataFile({ folder, id })]) {
    await unlink(file).catch((error: unknown) => {
      if (errnoOf(error) !== 'ENOENT') throw error;
    });
  }
}

/** Makes the tree anew at a path where there is nothing. Throws DamagedTree when that is no longer possible. */
export async function restoreTree(
  tree: MountedTree,
  path: MountPath,
  { kept, place }: { readonly kept: TreeSnapshot; readonly place: SnapshotLocation },
): Promise<void> {
  const pathOf = ({ segments }: SnapshotEntry): MountPath => ({
    mount: path.mount,
    segments: [...path.segments, ...segments],
  });
  const folders = kept.entries.filter((entry) => entry.kind === 'folder');
  for (const folder of folders) await tree.makeFolder(pathOf(folder));
  const data = await openData(place);
  try {
    await mapLimit(placed(kept.entries), FILES_AT_ONCE, async ({ entry, position }) => {
      if (entry.kind === 'link') await tree.addLink(pathOf(entry), entry.target);
      if (entry.kind !== 'file') return;
      const { mode, modifiedMs } = entry;
      await tree.addFile(pathOf(entry), { mode, modifiedMs, content: piecesOf(data, entry, position) });
    });
  } finally {
    await data.close();
  }
  for (const folder of folders.toReversed()) await tree.seal(pathOf(folder), folder.mode);
}

/** Whether what lies at a path is, byte for byte, what was kept. */
export async function isSameTree(tree: MountedTree, path: MountPath, kept: TreeSnapshot): Promise<boolean> {
  const expected = new Map(kept.entries.map((entry) => [entry.segments.join('/'), entry]));
  for await (const visit of tree.visit(path)) {
    if (visit.isLeaving) continue;
    const key = visit.segments.join('/');
    const entry = expected.get(key);
    if (!entry || !(await isSameEntry(visit, entry))) return false;
    expected.delete(key);
  }
  return expected.size === 0;
}

async function keepEntry(visit: TreeVisit, write: WriteChunk): Promise<SnapshotEntry> {
  const { segments, entry } = visit;
  const { mode, modifiedMs } = entry;
  switch (entry.kind) {
    case 'folder':
      return { kind: 'folder', segments: [...segments], mode };
    case 'link':
      return { kind: 'link', segments: [...segments], mode: 0o777, target: visit.linkTarget() };
    case 'special':
      throw Object.assign(new Error('a device, pipe or socket'), { code: 'ENOTSUP' });
    case 'file': {
      const hash = createHash('sha256');
      let bytes = 0;
      await visit.withContent(async (content, size) => {
        for await (const piece of contentOf(content, size)) {
          hash.update(piece);
          bytes += piece.length;
          await write(piece);
        }
      });
      return { kind: 'file', segments: [...segments], mode, modifiedMs, bytes, sha256: hash.digest('hex') };
    }
  }
}

async function isSameEntry(visit: TreeVisit, entry: SnapshotEntry): Promise<boolean> {
  if (visit.entry.kind !== entry.kind) return false;
  if (entry.kind === 'link') return visit.linkTarget() === entry.target;
  if (entry.kind === 'folder') return true;
  if (visit.entry.bytes !== entry.bytes) return false;
  const hash = createHash('sha256');
  await visit.withContent(async (content, size) => {
    for await (const piece of contentOf(content, size)) hash.update(piece);
  });
  return hash.digest('hex') === entry.sha256;
}

/** A file to its end, also when it has grown since. */
async function* contentOf(content: FileReader, bytes: number): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    // One more than there should be, so that the end is seen at once.
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(bytes - position, 0) + 1));
    const filled = await content.read(piece, position);
    if (filled > 0) yield piece.subarray(0, filled);
    if (filled < piece.length) return;
    position += filled;
  }
}

/** Each entry with where its content begins. */
function placed(entries: readonly SnapshotEntry[]): { entry: SnapshotEntry; position: number }[] {
  let next = 0;
  return entries.map((entry) => {
    const position = next;
    if (entry.kind === 'file') next += entry.bytes;
    return { entry, position };
  });
}

async function* piecesOf(
  data: FileHandle,
  { bytes, sha256 }: { readonly bytes: number; readonly sha256: string },
  position: number,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for (let done = 0; done < bytes; ) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, bytes - done));
    const { bytesRead } = await data.read(piece, 0, piece.length, position + done);
    if (bytesRead === 0) throw new DamagedTree();
    const fresh = piece.subarray(0, bytesRead);
    hash.update(fresh);
    yield fresh;
    done += bytesRead;
  }
  if (hash.digest('hex') !== sha256) throw new DamagedTree();
}

async function openData(place: SnapshotLocation): Promise<FileHandle> {
  try {
    return await open(dataFile(place), 'r');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw new DamagedTree();
    throw error;
  }
}

function dataFile({ folder, id }: SnapshotLocation): string {
  return join(folder, `${id}.data`);
}

function manifestFile({ folder, id }: SnapshotLocation): string {
  return join(folder, `${id}.kept.json`);
}
