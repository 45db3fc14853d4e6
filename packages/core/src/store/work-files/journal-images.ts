/**
 * Images of one file in a journal, for readers without the lease. Takes no lock and repairs nothing.
 */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ChangeBegun, JournalImage, JournalRecord } from '@crewagent/protocol/journal';
import { ifPresent, withDiskErrors } from '../../base/errno.ts';
import { STATE_DOCUMENT } from '../../mounts/mount-path.ts';
import { createMountedFs, type MountRoots } from '../../mounts/mounted-fs.ts';
import { openVersionedText, type VersionedText } from '../../mounts/versioned-text.ts';
import type { FileImages, ImageContent, ImageQuery } from '../journal.ts';
import type { JournalCopy } from '../work-store.ts';
import { createHistory } from './change-history.ts';
import { parseRecords, readImage, toImagePath, toRecordsPath } from './journal-log.ts';

/** Undefined if the journal contains no such change. */
export async function readFileImages(folder: string, query: ImageQuery): Promise<FileImages | undefined> {
  return readCopiedImages(await readJournalCopy(folder), query);
}

export function readCopiedImages({ records, read }: JournalCopy, query: ImageQuery) {
  return readStoredImages(records, query, ({ sha256 }) => read(sha256));
}

/** A missing journal is empty. */
export async function readJournalCopy(folder: string): Promise<JournalCopy> {
  const { records } = parseRecords(await readWhole(toRecordsPath(folder)));
  return { records, read: (sha256) => readImage(dirname(toImagePath(folder, sha256)), { sha256 }) };
}

/** `readFileImages` for records and contents that are stored elsewhere. */
export async function readStoredImages(
  records: readonly JournalRecord[],
  { path, changeId, maxBytes }: ImageQuery,
  readContent: (image: JournalImage) => Promise<Buffer | undefined>,
): Promise<FileImages | undefined> {
  const changes = [...createHistory(records).changes.values()]
    .map(({ begun }) => begun)
    .filter((change) => change.path === path && (changeId === undefined || change.id === changeId));
  const [first, last] = [changes.at(0), changes.at(-1)];
  if (!first || !last) return undefined;
  const read = async (image: ChangeBegun['before']): Promise<ImageContent> => {
    if (image === null) return { kind: 'absent' };
    if (image.bytes > maxBytes) return { kind: 'too-large' };
    const bytes = image.kept ? await readContent(image) : undefined;
    return bytes ? { kind: 'content', bytes } : { kind: 'not-kept' };
  };
  return { before: await read(first.before), after: await read(last.after) };
}

async function readWhole(file: string): Promise<Buffer> {
  const content = await withDiskErrors('Could not read the journal', () => ifPresent(readFile(file)));
  return content ?? Buffer.alloc(0);
}

/** The state document in the real folder that is mounted as `@state`, for adapters of `WorkStore`. */
export function openStateText(stateFolder: string, own: Pick<MountRoots, 'isThrowaway'> = {}): VersionedText {
  const roots = { project: undefined, pkg: undefined, state: stateFolder, ...own };
  const files = createMountedFs(roots, () => false);
  return openVersionedText(files, STATE_DOCUMENT);
}
