/** Uploads of a person: files, or a zip of files. What arrives is in a private file first, within limits, and becomes one version. */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArchiveEntry, CrewError, listEntries, withDiskErrors } from '@crewagent/core';
import { sha256Of } from '@crewagent/core/store';
import type { Blobs } from '../blobs/blobs.ts';
import { type CheckIn, changeProject, type ProjectParts } from './change-project.ts';
import type { Conflict } from './merge-changes.ts';
import type { ProjectEntry } from './project-entry.ts';
import { editTree, fileTooLarge, isGitData, type ProjectLimits, requirePaths } from './project-tree.ts';

interface UploadParts extends ProjectParts {
  /** Real folder for what arrives. */
  readonly scratch: string;
}

export interface UploadedFile {
  readonly path: string;
  readonly content: AsyncIterable<Uint8Array>;
}

export interface Upload<T> {
  readonly projectId: string;
  /** The person. */
  readonly by: string;
  readonly content: T;
}

/** Files of the same path are replaced, others stay. */
export async function uploadFiles(
  parts: UploadParts,
  { projectId, by, content }: Upload<AsyncIterable<UploadedFile>>,
): Promise<CheckIn> {
  const entries = new Map<string, ProjectEntry>();
  for await (const file of content) {
    requirePaths(new Map([[file.path, EMPTY_FILE]]));
    if (entries.size >= parts.limits.files) throw tooMany(parts.limits);
    const received = { limit: parts.limits.fileBytes, tooLarge: () => fileTooLarge(file.path, parts.limits) };
    entries.set(
      file.path,
      await withReceived(parts.scratch, file.content, received, (path, blob) =>
        storeFile(parts.blobs, path, blob),
      ),
    );
  }
  return addUpload(parts, projectId, by, entries);
}

const EMPTY_FILE: ProjectEntry = { kind: 'file', sha256: '', bytes: 0 };

/** Entries of a zip are unpacked in memory, one at a time. */
const ENTRY_BYTES = 64 * 1_048_576;
const ARCHIVE_BYTES = 1024 ** 3;
const BATCH_BYTES = 8 * 1_048_576;

/**
 * A folder around everything is left out, as are data of git and files of operating systems. Nothing is stored if an entry is refused or
 * damaged.
 */
export async function uploadArchive(
  parts: UploadParts,
  { projectId, by, content }: Upload<AsyncIterable<Uint8Array>>,
): Promise<CheckIn> {
  const limits = { ...parts.limits, fileBytes: Math.min(parts.limits.fileBytes, ENTRY_BYTES) };
  const received = {
    limit: Math.min(ARCHIVE_BYTES, parts.limits.bytes),
    tooLarge: () =>
      new CrewError('FILE_TOO_LARGE', 'The zip is too large. Leave out large files that can be made again.'),
  };
  return withReceived(parts.scratch, content, received, async (path) => {
    const handle = await open(path, 'r');
    try {
      const files = requireFiles(await readEntries(handle, limits), limits);
      return await addUpload(parts, projectId, by, await storeEntries(parts.blobs, files));
    } finally {
      await handle.close();
    }
  });
}

async function readEntries(handle: FileHandle, limits: ProjectLimits): Promise<ArchiveEntry[]> {
  try {
    return await listEntries(handle, limits.files + 1);
  } catch (error) {
    throw damagedZip(error);
  }
}

function damagedZip(cause: unknown): CrewError {
  const reason = cause instanceof Error ? cause.message : 'it cannot be read';
  return new CrewError(
    'USAGE',
    `The file is not a zip that can be read (${reason}). Pack the folder again.`,
    { cause },
  );
}

/** By path in the project. */
function requireFiles(entries: readonly ArchiveEntry[], limits: ProjectLimits): Map<string, ArchiveEntry> {
  if (entries.length > limits.files) throw tooMany(limits);
  const wanted = entries.filter(({ name, kind }) => kind !== 'folder' && !isLeftOut(name));
  const top = commonFolder(wanted.map(({ name }) => name));
  const files = new Map<string, ArchiveEntry>();
  let bytes = 0;
  for (const entry of wanted) {
    const path = entry.name.slice(top.length);
    if (entry.kind !== 'file') throw refuseEntry(path, 'it is a link or a special file');
    if (!entry.isReadable) throw refuseEntry(path, 'it is encrypted, or packed by an unknown method');
    if (entry.bytes > limits.fileBytes) throw fileTooLarge(path, limits);
    if (files.has(path)) throw refuseEntry(path, 'the zip contains it twice');
    bytes += entry.bytes;
    files.set(path, entry);
  }
  if (bytes > limits.bytes)
    throw new CrewError('FILE_TOO_LARGE', 'The files of the zip are too large together.');
  requirePaths(new Map([...files.keys()].map((path) => [path, EMPTY_FILE])));
  return files;
}

function isLeftOut(name: string): boolean {
  return isGitData(name) || name.startsWith('__MACOSX/') || /(?:^|\/)(?:\.DS_Store|Thumbs\.db)$/.test(name);
}

/** With the slash at its end; empty if there is none. */
function commonFolder([first = '', ...others]: readonly string[]): string {
  const top = first.slice(0, first.indexOf('/') + 1);
  return others.every((name) => name.startsWith(top)) ? top : '';
}

function refuseEntry(path: string, reason: string): CrewError {
  return new CrewError(
    'USAGE',
    `"${path.slice(0, 200)}" in the zip was refused: ${reason}. Nothing was uploaded.`,
  );
}

function tooMany({ files }: ProjectLimits): CrewError {
  return new CrewError('USAGE', `At most ${files.toLocaleString('en')} files can be uploaded.`);
}

async function storeEntries(
  blobs: Blobs,
  files: ReadonlyMap<string, ArchiveEntry>,
): Promise<Map<string, ProjectEntry>> {
  const entries = new Map<string, ProjectEntry>();
  let batch = new Map<string, Buffer>();
  let bytes = 0;
  for (const [path, file] of files) {
    const content = await file.read().catch((error: unknown) => {
      throw damagedZip(error);
    });
    const sha256 = sha256Of(content);
    entries.set(path, { kind: 'file', sha256, bytes: content.length });
    batch.set(sha256, content);
    bytes += content.length;
    if (bytes < BATCH_BYTES) continue;
    await blobs.put(batch);
    batch = new Map();
    bytes = 0;
  }
  await blobs.put(batch);
  return entries;
}

interface ReceiveLimit {
  readonly limit: number;
  tooLarge(): CrewError;
}

/** `use` gets a private file with what arrived; it is deleted afterwards. */
export async function withReceived<T>(
  scratch: string,
  chunks: AsyncIterable<Uint8Array>,
  { limit, tooLarge }: ReceiveLimit,
  use: (path: string, blob: { sha256: string; bytes: number }) => Promise<T>,
): Promise<T> {
  const folder = join(scratch, 'uploads');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, randomUUID());
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    await withDiskErrors('Could not receive the upload', async () => {
      const handle = await open(path, 'wx', 0o600);
      try {
        for await (const chunk of chunks) {
          bytes += chunk.length;
          if (bytes > limit) throw tooLarge();
          hash.update(chunk);
          await handle.writeFile(chunk);
        }
      } finally {
        await handle.close();
      }
    });
    return await use(path, { sha256: hash.digest('hex'), bytes });
  } finally {
    await rm(path, { force: true });
  }
}

const SMALL_BYTES = 1_048_576;

export async function storeFile(
  blobs: Blobs,
  path: string,
  blob: { sha256: string; bytes: number },
): Promise<ProjectEntry> {
  if (blob.bytes <= SMALL_BYTES) await blobs.put(new Map([[blob.sha256, await readFile(path)]]));
  else await blobs.putLarge(blob, () => createReadStream(path, { highWaterMark: SMALL_BYTES }));
  return { kind: 'file', ...blob };
}

async function addUpload(
  parts: UploadParts,
  projectId: string,
  by: string,
  entries: ReadonlyMap<string, ProjectEntry>,
): Promise<CheckIn> {
  const { head } = await parts.versions.readHead(projectId);
  const base = await parts.versions.treeAt(projectId, head);
  const tree = editTree(base);
  const ours = new Map<string, ProjectEntry>();
  for (const [path, entry] of entries) {
    const isExecutable = base.get(path)?.isExecutable;
    const kept = isExecutable ? { ...entry, isExecutable } : entry;
    const clash = tree.findClash(path, kept);
    if (clash !== undefined)
      throw refuseEntry(path, `"${clash}" has the same name, or one that some systems do not tell apart`);
    tree.put(path, kept);
    ours.set(path, kept);
  }
  return changeProject(parts, { projectId, base, ours, madeBy: by, check: refuseConflicts });
}

function refuseConflicts([conflict]: readonly Conflict[]): void {
  if (conflict)
    throw new CrewError(
      'FILE_CONFLICT',
      `"${conflict.path}" was changed by somebody else meanwhile. Upload again.`,
    );
}
