/** The journal of a Work that this process holds. A step that is done is a change of a project file. */
import { type ImageStore, type JournalLog, sha256Of } from '@crewagent/core/store';
import type { JournalImage, JournalRecord, JournalStep } from '@crewagent/protocol/journal';
import type { Blobs } from '../blobs/blobs.ts';

/** A project file after a change, as a check-in needs it. */
export interface WorkspaceEntry {
  readonly kind: 'file' | 'link' | 'folder';
  readonly sha256: string;
  readonly bytes: number;
  /** Undefined if the permissions were not changed. */
  readonly mode?: number | undefined;
}

/** What the next commit stores. */
interface Collected {
  readonly blobs: Blobs;
  readonly journal: string[];
  readonly entries: Map<string, string | null>;
  readonly contents: Map<string, Uint8Array>;
}

export function createJournalStorage(
  stored: readonly JournalRecord[],
  { blobs, journal, entries, contents }: Collected,
) {
  const begun = new Map<number, JournalStep>();
  const add = (record: JournalRecord): void => {
    journal.push(JSON.stringify(record));
    if (record.type === 'step.abandoned') begun.delete(record.id);
    else if (record.type !== 'step.done') begun.set(record.id, record);
    else {
      const step = begun.get(record.id);
      begun.delete(record.id);
      if (step) entries.set(step.path, step.after && JSON.stringify(toEntry(step.after)));
    }
  };
  for (const record of stored)
    if (record.type === 'step.done' || record.type === 'step.abandoned') begun.delete(record.id);
    else begun.set(record.id, record);
  const log: JournalLog = {
    records: stored,
    unreadable: 0,
    append: async (...records) => records.forEach(add),
    note: async (record) => add(record),
  };
  const images: ImageStore = {
    async keep(content) {
      const sha256 = sha256Of(content);
      contents.set(sha256, content);
      return { sha256, bytes: content.length, kept: true };
    },
    async read({ sha256 }) {
      const content = contents.get(sha256);
      return content ? Buffer.from(content) : blobs.get(sha256);
    },
  };
  return { log, openImages: () => Promise.resolve(images) };
}

function toEntry({ kind, sha256, bytes, mode }: JournalImage): WorkspaceEntry {
  return { kind: kind ?? 'file', sha256, bytes, ...(mode === undefined ? {} : { mode }) };
}
