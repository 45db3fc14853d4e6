/**
 * A person's changes to the files of a project on disk, used by one process at a time: a journal like that of a run, and the
 * changes of the tree in a folder beside it.
 */
import { join } from 'node:path';
import type { JournalRecord } from '@crewagent/protocol/journal';
import { CrewError } from '../../../base/crew-error.ts';
import { createFolders, replaceFile } from '../../../base/durable-files.ts';
import { withDiskErrors } from '../../../base/errno.ts';
import type { FileChangeStore } from '../../file-changes.ts';
import type { Journal } from '../../journal.ts';
import { openJournal } from '../../work-files/journal.ts';
import { openJournalLog } from '../../work-files/journal-log.ts';
import { stampOf } from '../change-marks.ts';
import { type FileLock, lockFile } from '../locks/file-lock.ts';
import { openTreeChanges } from './tree-changes.ts';

interface CachedJournal {
  readonly journal: Journal;
  stamp: string | undefined;
}

export function createFileChanges(folder: string): FileChangeStore {
  const logFile = join(folder, 'journal.jsonl');
  let cached: CachedJournal | undefined;
  return {
    exists: async () => (await stampOf(folder)) !== undefined,
    async use(work) {
      const lock = await withDiskErrors('Could not open the history of file changes', async () => {
        await createFolders(folder);
        return lockChanges(folder);
      });
      let used: CachedJournal | undefined;
      try {
        return await work({
          changes: await openTreeChanges(join(folder, 'tree')),
          async journal(options) {
            const stamp = await stampOf(logFile);
            if (!cached || cached.stamp !== stamp)
              cached = { journal: await openJournal({ folder, ...options }), stamp };
            used = cached;
            return used.journal;
          },
          async pruneJournal() {
            if (await pruneJournal(logFile)) cached = undefined;
          },
        });
      } finally {
        if (used) used.stamp = await stampOf(logFile);
        await lock.release();
      }
    },
  };
}

const WAIT_MS = 10_000;

/** Held while a process uses the changes in the folder. */
export async function lockChanges(folder: string): Promise<FileLock> {
  const attempt = await lockFile(join(folder, 'lock'), { waitMs: WAIT_MS });
  if (attempt.isAccepted) return attempt.lock;
  throw new CrewError('DISK', 'Another process is changing the files of this project; try again.');
}

const MAX_RECORDS = 2_000;
const MAX_IMAGE_BYTES = 128 * 1_048_576;
/** Never pruned: a pending step is among these. */
const MIN_RECORDS = 16;

/** Returns whether the file was rewritten. Unreferenced images are deleted when the journal is next opened. */
export async function pruneJournal(file: string): Promise<boolean> {
  const { records, unreadable } = await openJournalLog(file);
  const first = firstRetained(records);
  // A damaged journal is handled when it is opened.
  if (first === 0 || unreadable > 0) return false;
  const text = records
    .slice(first)
    .map((record) => `${JSON.stringify(record)}\n`)
    .join('');
  await replaceFile(file, text);
  return true;
}

function firstRetained(records: readonly JournalRecord[]): number {
  const seen = new Set<string>();
  let bytes = 0;
  for (let index = records.length - 1; index >= 0; index--) {
    const record = records[index];
    for (const image of record && 'before' in record ? [record.before, record.after] : []) {
      if (!image?.kept || seen.has(image.sha256)) continue;
      seen.add(image.sha256);
      bytes += image.bytes;
    }
    const retained = records.length - index;
    if (retained > MIN_RECORDS && (retained > MAX_RECORDS || bytes > MAX_IMAGE_BYTES)) return index + 1;
  }
  return 0;
}
