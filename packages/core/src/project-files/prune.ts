/**
 * Bounds the history of a user's changes: the oldest changes are removed first.
 */
import { dirname } from 'node:path';
import type { JournalRecord } from '@crewagent/protocol/journal';
import { createFolders, replaceFile } from '../base/durable-files.ts';
import { openJournalLog } from '../store/disk/journal-log.ts';
import type { TreeChanges } from './tree-changes.ts';

const MAX_RECORDS = 2_000;
const MAX_IMAGE_BYTES = 128 * 1_048_576;
/** Never pruned: a pending step is among these. */
const MIN_RECORDS = 16;
const MAX_TREE_CHANGES = 500;

/** Returns whether the file was rewritten. Unreferenced images are deleted when the journal is next opened. */
export async function pruneJournal(file: string): Promise<boolean> {
  await createFolders(dirname(file));
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

/** Removes the oldest changes, and the snapshots of others that exceed `snapshotBytes`. */
export async function pruneTreeChanges(changes: TreeChanges, snapshotBytes: number): Promise<void> {
  let bytes = 0;
  const all = (await changes.list()).toReversed();
  for (const [index, change] of all.entries()) {
    if (index >= MAX_TREE_CHANGES) {
      await changes.drop(change.id);
      continue;
    }
    if (change.kind !== 'removed' || !change.isKept) continue;
    bytes += change.bytes;
    if (bytes > snapshotBytes) await changes.forget(change);
  }
}
