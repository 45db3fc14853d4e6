/**
 * Saves a project file atomically and undoably, only if it is still the version the user saw.
 */
import type { FileEncoding, SavedFile } from '@crewagent/protocol/api/files';
import { CrewError } from '../base/crew-error.ts';
import { ifPresent } from '../base/errno.ts';
import { sha256Of } from '../base/sha256.ts';
import { formatMountPath, type MountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import { isReadOnly } from '../mounts/tree-entry.ts';
import type { Journal } from '../store/journal.ts';
import { encodeText } from '../tools/files/text-file.ts';
import type { CurrentFile } from '../tools/files/write-request.ts';
import { alreadyExists, conflict, readOnly, tooLarge } from './file-errors.ts';
import { checkNewName, nameOf, parentOf } from './project-path.ts';
import { decodeLossless, MAX_FILE_BYTES, readWhole, toTimestamp } from './read-file.ts';

export type FileSave = (NewText | { readonly bytes: Uint8Array }) & {
  readonly path: string;
  /** Hash of the content that was edited; null for a new file. */
  readonly ifMatchSha256: string | null;
};

interface NewText {
  readonly text: string;
  /** Default: encoding of the current file, UTF-8 for a new one. */
  readonly encoding?: FileEncoding | undefined;
  /** Default: line endings stay as they are in the text. */
  readonly lineEnding?: 'lf' | 'crlf' | undefined;
}

export interface SaveDeps {
  readonly files: MountedFs;
  readonly tree: MountedTree;
  readonly journal: Journal;
  readonly newId: () => string;
}

/** `target`: resolved path; `path`: requested path. Returns the id of the change, undefined if nothing changed. */
export async function saveFile(
  { path, target }: { readonly path: MountPath; readonly target: MountPath },
  request: FileSave,
  { files, tree, journal, newId }: SaveDeps,
): Promise<Omit<SavedFile, 'change'> & { readonly id: string | undefined }> {
  const displayPath = formatMountPath(path);
  const current = await readCurrent(files, target);
  checkPrecondition(displayPath, current, request.ifMatchSha256);
  if (current && isReadOnly(current.mode)) throw readOnly(displayPath);
  if (!current) checkNewNames(tree, target);
  const bytes = toBytes(request, current, displayPath);
  if (bytes.length > MAX_FILE_BYTES) throw tooLarge(displayPath, bytes.length, MAX_FILE_BYTES);
  const isNew = !current?.bytes.equals(bytes);
  const id = isNew ? newId() : undefined;
  if (id !== undefined) await replace(target, { id, bytes, current }, { files, journal });
  return {
    path: displayPath,
    bytes: bytes.length,
    modifiedAt: toTimestamp(tree.stat(target)?.modifiedMs ?? 0),
    sha256: sha256Of(bytes),
    id,
  };
}

async function replace(
  target: MountPath,
  { id, bytes, current }: { id: string; bytes: Buffer; current: CurrentFile | undefined },
  { files, journal }: Pick<SaveDeps, 'files' | 'journal'>,
): Promise<void> {
  const recorded = await journal.begin({
    callId: id,
    path: formatMountPath(target),
    before: current?.bytes,
    after: bytes,
    mode: current?.mode,
  });
  try {
    await files.replace(target, bytes, {
      expected: current?.identity ?? 'absent',
      tempName: recorded.tempName,
    });
  } catch (error) {
    await recorded.abandon();
    throw error;
  }
  await recorded.done();
}

async function readCurrent(files: MountedFs, path: MountPath): Promise<CurrentFile | undefined> {
  return ifPresent(
    files.withFile(path, async (file) => {
      const bytes = await readWhole(file, path);
      return { bytes, sha256: sha256Of(bytes), mode: file.mode, identity: file.identity };
    }),
  );
}

function checkPrecondition(path: string, current: CurrentFile | undefined, expected: string | null): void {
  if (expected === (current?.sha256 ?? null)) return;
  const sha256 = current?.sha256 ?? null;
  if (expected === null) throw alreadyExists(path, { sha256 });
  const what = current ? 'was changed by another program' : 'no longer exists';
  throw conflict(`"${path}" ${what} since it was opened, so it was not saved.`, { sha256 });
}

/** Checks the names of the file and of the folders to be created for it. */
function checkNewNames(tree: MountedTree, target: MountPath): void {
  for (let path = target; path.segments.length > 0 && !tree.stat(path); path = parentOf(path)) {
    checkNewName(nameOf(path));
  }
}

function toBytes(request: FileSave, current: CurrentFile | undefined, displayPath: string): Buffer {
  if (!('text' in request)) return Buffer.from(request.bytes);
  const { text, lineEnding } = request;
  const encoding = request.encoding ?? (current && decodeLossless(current.bytes)?.encoding) ?? 'utf8';
  const normalized = lineEnding ? text.replace(/\r\n/g, '\n') : text;
  const bytes = encodeText(lineEnding === 'crlf' ? normalized.replace(/\n/g, '\r\n') : normalized, encoding);
  if (bytes) return bytes;
  throw new CrewError(
    'USAGE',
    `Some characters of the text cannot be saved in ${encoding}, the encoding of "${displayPath}". Save it as UTF-8 instead.`,
    { details: { encoding } },
  );
}
