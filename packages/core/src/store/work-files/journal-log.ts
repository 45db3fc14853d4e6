/**
 * Files of the journal: the records, one per line and append-only, and the images, each in a file named by the hash of its
 * content. Does not interpret the records.
 */
import { open, readdir, readFile, truncate, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type JournalImage, type JournalRecord, journalRecordSchema } from '@crewagent/protocol/journal';
import {
  appendSync,
  CAN_SYNC_DISK,
  createFile,
  createFolders,
  replaceFile,
  syncContent,
  syncDisk,
  syncFolder,
} from '../../base/durable-files.ts';
import { errnoOf, ifPresent } from '../../base/errno.ts';
import { createQueue } from '../../base/queue.ts';
import { sha256Of } from '../../base/sha256.ts';
import { isMissing } from '../../base/small-files.ts';
import type { JournalOptions } from '../journal.ts';

export interface JournalLog {
  readonly records: readonly JournalRecord[];
  /** Number of invalid lines, which were skipped. */
  readonly unreadable: number;
  /** The record is durable when this resolves, and absent when it rejects. */
  append(...records: readonly JournalRecord[]): Promise<void>;
  /** For records that the next start could reconstruct: a disk error only delays them until the next append. */
  note(record: JournalRecord): Promise<void>;
}

/** Where a journal keeps its records and images: on disk a folder that is private to the run. */
export interface JournalStorage {
  readonly log: JournalLog;
  /** `isWhole`: all records could be read, so that contents which none of them names are left over. */
  openImages(
    recorded: readonly JournalImage[],
    options: { readonly isWhole: boolean } & Pick<JournalOptions, 'capBytes' | 'warn'>,
  ): Promise<ImageStore>;
}

const DEFAULT_CAP_BYTES = 256 * 1_048_576;

const toImagesFolder = (folder: string): string => join(folder, 'blobs');
/** Of a journal in a folder. */
export const toRecordsPath = (folder: string): string => join(folder, 'journal.jsonl');
export const toImagePath = (folder: string, sha256: string): string => join(toImagesFolder(folder), sha256);
export const formatRecords = (records: readonly JournalRecord[]): string => records.map(toLine).join('');

/** Records and images in a folder. */
export async function openJournalFolder(folder: string): Promise<JournalStorage> {
  return {
    log: await openJournalLog(toRecordsPath(folder)),
    openImages: (images, { isWhole, capBytes = DEFAULT_CAP_BYTES, warn }) =>
      openImageStore({ folder: toImagesFolder(folder), images, keepUnknown: !isWhole, capBytes, warn }),
  };
}

/** The file is created with its first record: most runs that only read have none. */
export async function openJournalLog(file: string): Promise<JournalLog> {
  const content = isMissing(file) ? undefined : await readFile(file);
  const { records, unreadable, bytes } = parseRecords(content ?? Buffer.alloc(0));
  // The next record must not be appended to an incomplete last line.
  if (content && bytes < content.length) await truncate(file, bytes);
  let isOnDisk = content !== undefined;
  let end = bytes;
  let delayed = '';
  const inOrder = createQueue();

  const write = async (text: string, sync: boolean): Promise<void> => {
    const data = Buffer.from(text);
    if (!isOnDisk) await createLog(file);
    isOnDisk = true;
    await appendAt(file, data, end, sync);
    end += data.length;
    delayed = '';
  };

  return {
    records,
    unreadable,
    append: (...added) => inOrder(() => write(delayed + formatRecords(added), true)),
    note: (record) =>
      inOrder(async () => {
        const text = delayed + toLine(record);
        try {
          await write(text, false);
        } catch (error) {
          if (errnoOf(error) === undefined) throw error;
          delayed = text;
        }
      }),
  };
}

/** `bytes`: end of the last complete line. */
export function parseRecords(content: Buffer) {
  const bytes = content.lastIndexOf('\n') + 1;
  const lines = content.toString('utf8', 0, bytes).split('\n').slice(0, -1);
  const records = lines.map(parseRecord).filter((record) => record !== undefined);
  return { records, unreadable: lines.length - records.length, bytes };
}

async function createLog(file: string): Promise<void> {
  await createFolders(dirname(file));
  try {
    await createFile(file, '');
  } catch (error) {
    // An earlier attempt failed after it had created the file.
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  await syncFolder(dirname(file));
}

function parseRecord(line: string): JournalRecord | undefined {
  try {
    return journalRecordSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** Validates the record: an invalid one could not be read again. */
function toLine(record: JournalRecord): string {
  return `${JSON.stringify(journalRecordSchema.parse(record))}\n`;
}

/** Writes at the end of the file, atomically. */
async function appendAt(file: string, data: Buffer, end: number, sync: boolean): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    appendSync(handle.fd, data, end);
    try {
      if (sync) await syncContent(handle.fd);
    } catch (error) {
      // A record that is not durable must not be in the file.
      await handle.truncate(end).catch(() => undefined);
      throw error;
    }
  } finally {
    await handle.close();
  }
}

export interface ImageStore {
  /** Stores a content once; above the cap only if it is small. Durable when this resolves, unless the caller syncs the disk. */
  keep(content: Uint8Array, isSynced?: boolean): Promise<JournalImage>;
  /** Undefined if the content was not stored or is damaged. */
  read(image: JournalImage): Promise<Buffer | undefined>;
  /** Makes everything durable that was kept without. Undefined where that is not possible. */
  readonly syncAll?: (() => Promise<void>) | undefined;
}

export interface ImageStoreOptions {
  readonly folder: string;
  /** Images named by records. Other files in the folder are left over from a crash, and deleted unless `keepUnknown`. */
  readonly images: readonly JournalImage[];
  readonly keepUnknown: boolean;
  readonly capBytes: number;
  readonly warn: (message: string) => void;
}

const MIB = 1_048_576;
const SMALL_BYTES = MIB;

export async function openImageStore(options: ImageStoreOptions): Promise<ImageStore> {
  const { folder, images, capBytes } = options;
  const known = new Map(images.filter(({ kept }) => kept).map((image) => [image.sha256, image]));
  const stored = new Map<string, Promise<void>>();
  let usedBytes = 0;
  for (const name of isMissing(folder) ? [] : await readdir(folder)) {
    const image = known.get(name);
    if (image) {
      stored.set(name, Promise.resolve());
      usedBytes += image.bytes;
    } else if (name.startsWith('.') || !options.keepUnknown) {
      await unlink(join(folder, name));
    }
  }
  let hasWarned = usedBytes > capBytes || images.some((image) => !image.kept);

  const hasRoomFor = (bytes: number): boolean => {
    if (usedBytes + bytes <= capBytes) return true;
    if (!hasWarned) {
      const cap = Math.round(capBytes / MIB);
      options.warn(
        `The journal of this run is full (${cap} MiB): from now on, changes to files over 1 MiB cannot be undone.`,
      );
    }
    hasWarned = true;
    return bytes <= SMALL_BYTES;
  };

  let created: Promise<unknown> | undefined;
  const createFolder = async (): Promise<void> => {
    created ??= createFolders(folder);
    await created.catch((error: unknown) => {
      created = undefined;
      throw error;
    });
  };

  const store = async (sha256: string, content: Uint8Array, isSynced: boolean): Promise<void> => {
    usedBytes += content.length;
    try {
      await createFolder();
      await replaceFile(join(folder, sha256), content, 0o600, isSynced);
    } catch (error) {
      usedBytes -= content.length;
      stored.delete(sha256);
      throw error;
    }
  };

  return {
    async keep(content, isSynced = true) {
      const image = { sha256: sha256Of(content), bytes: content.length };
      let pending = stored.get(image.sha256);
      if (!pending) {
        if (!hasRoomFor(image.bytes)) return { ...image, kept: false };
        pending = store(image.sha256, content, isSynced);
        stored.set(image.sha256, pending);
      }
      await pending;
      return { ...image, kept: true };
    },

    read: (image) => readImage(folder, image),
    syncAll: CAN_SYNC_DISK
      ? async () => {
          // If no content is kept, it is not there.
          await createFolders(folder);
          await syncDisk(folder);
        }
      : undefined,
  };
}

/** Undefined if the content was not stored or is damaged. `folder`: of the images. */
export async function readImage(
  folder: string,
  { sha256 }: Pick<JournalImage, 'sha256'>,
): Promise<Buffer | undefined> {
  const content = await ifPresent(readFile(join(folder, sha256)));
  return content && sha256Of(content) === sha256 ? content : undefined;
}
