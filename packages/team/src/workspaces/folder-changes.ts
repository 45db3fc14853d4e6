/** What was changed in a folder since it was made equal to a tree, with the contents in the store. */
import { createReadStream, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CrewError } from '@crewagent/core';
import { sha256Of } from '@crewagent/core/store';
import type { Blobs } from '../blobs/blobs.ts';
import { type FolderCopy, readHash } from './folder-copy.ts';
import { findEntries } from './folder-entries.ts';
import { type Changes, EMPTY_FOLDER, isSameEntry, type ProjectEntry } from './project-entry.ts';
import { isGitData, parentOf, type Tree } from './project-tree.ts';

/** `tree`: what the folder had. Data of git is left out; so are sockets and devices. */
export async function storeFolderChanges(copy: FolderCopy, tree: Tree, blobs: Blobs): Promise<Changes> {
  const found = await findEntries(copy.folder);
  const occupied = new Set([...found.keys()].map(parentOf));
  const changes = new Map<string, ProjectEntry | undefined>();
  for (const [path, entry] of found) {
    if (entry.kind === 'other' || isGitData(path)) continue;
    if (entry.kind === 'folder') {
      if (!occupied.has(path) && !tree.has(path)) changes.set(path, EMPTY_FOLDER);
      continue;
    }
    const isExecutable = entry.kind === 'file' && entry.isExecutable ? { isExecutable: true as const } : {};
    const sha256 = await readHash(copy, path, entry);
    const now: ProjectEntry = { kind: entry.kind, sha256, bytes: entry.bytes, ...isExecutable };
    if (!isSameEntry(now, tree.get(path))) changes.set(path, now);
  }
  for (const [path, { kind }] of tree)
    if (!found.has(path) || (found.get(path)?.kind !== kind && !changes.has(path)))
      changes.set(path, undefined);
  await storeContents(copy.folder, changes, blobs);
  return changes;
}

const BATCH = { files: 500, bytes: 8 * 1_048_576 };
const SMALL_BYTES = 1_048_576;

/** Stores the contents of the given entries of a folder that are not in the store yet. */
export async function storeContents(folder: string, entries: Changes, blobs: Blobs): Promise<void> {
  const files = [...entries].flatMap(([path, entry]) =>
    entry && entry.kind !== 'folder' ? [{ path, ...entry }] : [],
  );
  const missing = await blobs.findMissing([...new Set(files.map(({ sha256 }) => sha256))]);
  let batch = new Map<string, Uint8Array>();
  let bytes = 0;
  for (const file of files) {
    if (!missing.delete(file.sha256)) continue;
    const source = join(folder, file.path);
    if (file.kind === 'file' && file.bytes > SMALL_BYTES) {
      await blobs.putLarge(file, () => createReadStream(source, { highWaterMark: SMALL_BYTES }));
      continue;
    }
    const content = file.kind === 'link' ? readlinkSync(source, 'buffer') : await readFile(source);
    if (sha256Of(content) !== file.sha256) throw changedMeanwhile(file.path);
    batch.set(file.sha256, content);
    bytes += file.bytes;
    if (batch.size < BATCH.files && bytes < BATCH.bytes) continue;
    await blobs.put(batch);
    batch = new Map();
    bytes = 0;
  }
  await blobs.put(batch);
}

function changedMeanwhile(path: string): CrewError {
  return new CrewError('FILE_CONFLICT', `"${path}" was changed while it was stored. Try again.`);
}
