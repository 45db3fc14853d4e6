/**
 * Saving a project's file: only over what the person saw, whole or not at all, and so that it can be undone.
 */
import type { FileEncoding, SavedFile } from '@crewagent/protocol/api/files';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf } from '../base/errno.ts';
import { sha256Of } from '../base/sha256.ts';
import type { FileIdentity } from '../mounts/file-identity.ts';
import { formatMountPath, type MountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import { isReadOnly } from '../mounts/read-only.ts';
import type { Journal } from '../store/disk/journal.ts';
import { encodeText } from '../tools/text-file.ts';
import { conflict, readOnly, taken, tooLarge } from './file-errors.ts';
import { checkNewName, nameOf, parentOf } from './project-path.ts';
import { decodeFaithfully, MAX_FILE_BYTES, readWhole } from './read-file.ts';
import { toTimestamp } from './timestamp.ts';

export type FileSave = (NewText | { readonly bytes: Uint8Array }) & {
  readonly path: string;
  /** The hash of the content that was changed; null for a file that is not there yet. */
  readonly ifMatchSha256: string | null;
};

interface NewText {
  readonly text: string;
  /** That of the file as it is, if left out; UTF-8 for a new one. */
  readonly encoding?: FileEncoding | undefined;
  /** The text is written as it stands, if left out. */
  readonly lineEnding?: 'lf' | 'crlf' | undefined;
}

export interface SaveDeps {
  readonly files: MountedFs;
  readonly tree: MountedTree;
  readonly journal: Journal;
  readonly newId: () => string;
}

interface CurrentFile {
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly mode: number;
  readonly identity: FileIdentity;
}

/** `target` is where the file really lies, `path` what it was asked for as. Answers with the id of the change, if it was one. */
export async function saveFile(
  { path, target }: { readonly path: MountPath; readonly target: MountPath },
  request: FileSave,
  { files, tree, journal, newId }: SaveDeps,
): Promise<Omit<SavedFile, 'change'> & { readonly id: string | undefined }> {
  const shown = formatMountPath(path);
  const current = await readCurrent(files, target);
  checkPrecondition(shown, current, request.ifMatchSha256);
  if (current && isReadOnly(current.mode)) throw readOnly(shown);
  if (!current) checkNewNames(tree, target);
  const bytes = toBytes(request, current, shown);
  if (bytes.length > MAX_FILE_BYTES) throw tooLarge(shown, bytes.length, MAX_FILE_BYTES);
  const isNew = !current?.bytes.equals(bytes);
  const id = isNew ? newId() : undefined;
  if (id !== undefined) await replace(target, { id, bytes, current }, { files, journal });
  return {
    path: shown,
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
  try {
    return await files.withFile(path, async (file) => {
      const bytes = await readWhole(file, path);
      return { bytes, sha256: sha256Of(bytes), mode: file.mode, identity: file.identity };
    });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function checkPrecondition(path: string, current: CurrentFile | undefined, expected: string | null): void {
  if (expected === (current?.sha256 ?? null)) return;
  const sha256 = current?.sha256 ?? null;
  if (expected === null) throw taken(path, { sha256 });
  const what = current ? 'was changed by somebody else' : 'is no longer there';
  throw conflict(`"${path}" ${what} since it was opened; nothing was saved.`, { sha256 });
}

/** Of the file, and of folders that have to be made for it. */
function checkNewNames(tree: MountedTree, target: MountPath): void {
  for (let path = target; path.segments.length > 0 && !tree.stat(path); path = parentOf(path)) {
    checkNewName(nameOf(path));
  }
}

function toBytes(request: FileSave, current: CurrentFile | undefined, shown: string): Buffer {
  if (!('text' in request)) return Buffer.from(request.bytes);
  const { text, lineEnding } = request;
  const encoding = request.encoding ?? (current && decodeFaithfully(current.bytes)?.encoding) ?? 'utf8';
  const plain = lineEnding ? text.replace(/\r\n/g, '\n') : text;
  const bytes = encodeText(lineEnding === 'crlf' ? plain.replace(/\n/g, '\r\n') : plain, encoding);
  if (bytes) return bytes;
  throw new CrewError(
    'USAGE',
    `"${shown}" is kept in ${encoding}, which has no sign for some of this text; save it as UTF-8 instead.`,
    { details: { encoding } },
  );
}
