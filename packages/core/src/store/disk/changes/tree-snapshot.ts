/**
 * Snapshots of file trees in the store, for restoring them: one file with all contents, and a manifest. The manifest is
 * written last, so its presence means the snapshot is complete.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type SnapshotEntry, type TreeSnapshot, treeSnapshotSchema } from '@crewagent/protocol/file-journal';
import { replaceFile, type WriteChunk } from '../../../base/durable-files.ts';
import { ifPresent } from '../../../base/errno.ts';
import { mapLimit } from '../../../base/map-limit.ts';
import type { MountPath } from '../../../mounts/mount-path.ts';
import type { MountedTree } from '../../../mounts/mounted-tree.ts';
import type { FileReader } from '../../../mounts/open-path.ts';
import type { TreeVisit } from '../../../mounts/visit-tree.ts';
import { DamagedSnapshot, type TreeChanges } from '../../file-changes.ts';
import { readJson } from '../store-file.ts';

const CHUNK_BYTES = 1_048_576;
const CONCURRENCY = 8;

type Snapshots = Pick<
  TreeChanges,
  'saveSnapshot' | 'hasSnapshot' | 'restoreSnapshot' | 'isSameAsSnapshot' | 'dropSnapshot'
>;

export function createSnapshots(folder: string): Snapshots {
  const dataFile = (id: string): string => join(folder, `${id}.data`);
  const manifestFile = (id: string): string => join(folder, `${id}.kept.json`);
  const readManifest = (id: string): Promise<TreeSnapshot | undefined> =>
    readJson(manifestFile(id), treeSnapshotSchema);
  return {
    async saveSnapshot(id, tree, path) {
      const entries: SnapshotEntry[] = [];
      await replaceFile(dataFile(id), async (write) => {
        for await (const visit of tree.visit(path))
          if (!visit.isLeaving) entries.push(await saveEntry(visit, write));
      });
      const manifest: TreeSnapshot = { schemaVersion: 1, entries };
      await replaceFile(manifestFile(id), JSON.stringify(manifest));
    },
    hasSnapshot: async (id) => (await readManifest(id)) !== undefined,
    async restoreSnapshot(id, tree, path) {
      const snapshot = await readManifest(id);
      if (!snapshot) throw new DamagedSnapshot();
      await restoreTree(tree, path, { snapshot, dataFile: dataFile(id) });
    },
    async isSameAsSnapshot(id, tree, path) {
      const snapshot = await readManifest(id);
      return snapshot !== undefined && (await isSameTree(tree, path, snapshot));
    },
    async dropSnapshot(id) {
      // The manifest first: without it the data is ignored.
      for (const file of [manifestFile(id), dataFile(id)]) await rm(file, { force: true });
    },
  };
}

async function restoreTree(
  tree: MountedTree,
  path: MountPath,
  { snapshot, dataFile }: { readonly snapshot: TreeSnapshot; readonly dataFile: string },
): Promise<void> {
  const pathOf = ({ segments }: SnapshotEntry): MountPath => ({
    mount: path.mount,
    segments: [...path.segments, ...segments],
  });
  const folders = snapshot.entries.filter((entry) => entry.kind === 'folder');
  for (const folder of folders) await tree.makeFolder(pathOf(folder));
  const data = await openData(dataFile);
  try {
    await mapLimit(withOffsets(snapshot.entries), CONCURRENCY, async ({ entry, offset }) => {
      if (entry.kind === 'link') await tree.addLink(pathOf(entry), entry.target);
      if (entry.kind !== 'file') return;
      const { mode, modifiedMs } = entry;
      await tree.addFile(pathOf(entry), { mode, modifiedMs, content: piecesOf(data, entry, offset) });
    });
  } finally {
    await data.close();
  }
  for (const folder of folders.toReversed()) await tree.seal(pathOf(folder), folder.mode);
}

async function isSameTree(tree: MountedTree, path: MountPath, snapshot: TreeSnapshot): Promise<boolean> {
  const expected = new Map(snapshot.entries.map((entry) => [entry.segments.join('/'), entry]));
  for await (const visit of tree.visit(path)) {
    if (visit.isLeaving) continue;
    const key = visit.segments.join('/');
    const entry = expected.get(key);
    if (!entry || !(await isSameEntry(visit, entry))) return false;
    expected.delete(key);
  }
  return expected.size === 0;
}

async function saveEntry(visit: TreeVisit, write: WriteChunk): Promise<SnapshotEntry> {
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

/** Reads to the end of the file, even if it has grown. */
async function* contentOf(content: FileReader, bytes: number): AsyncGenerator<Buffer> {
  for (let offset = 0; ; ) {
    // One extra byte detects the end of the file with the same read.
    const piece = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(bytes - offset, 0) + 1));
    const filled = await content.read(piece, offset);
    if (filled > 0) yield piece.subarray(0, filled);
    if (filled < piece.length) return;
    offset += filled;
  }
}

/** Entries with the offset of their content. */
function withOffsets(entries: readonly SnapshotEntry[]): { entry: SnapshotEntry; offset: number }[] {
  let next = 0;
  return entries.map((entry) => {
    const offset = next;
    if (entry.kind === 'file') next += entry.bytes;
    return { entry, offset };
  });
}

async function* piecesOf(
  data: FileHandle,
  { bytes, sha256 }: { readonly bytes: number; readonly sha256: string },
  offset: number,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for (let done = 0; done < bytes; ) {
    const piece = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytes - done));
    const { bytesRead } = await data.read(piece, 0, piece.length, offset + done);
    if (bytesRead === 0) throw new DamagedSnapshot();
    const chunk = piece.subarray(0, bytesRead);
    hash.update(chunk);
    yield chunk;
    done += bytesRead;
  }
  if (hash.digest('hex') !== sha256) throw new DamagedSnapshot();
}

async function openData(file: string): Promise<FileHandle> {
  const handle = await ifPresent(open(file, 'r'));
  if (!handle) throw new DamagedSnapshot();
  return handle;
}
