/**
 * A Work whose lease this process holds. What its engine writes is collected, and one commit stores the events together with everything
 * they tell of: files of `@state`, records of the journal, changed project files. A worker that dies loses what no event tells of.
 */

import {
  createQueue,
  type ImageStore,
  type JournalLog,
  sha256Of,
  type WorkAddress,
} from '@crewagent/core/store';
import type { JournalImage, JournalRecord, JournalStep } from '@crewagent/protocol/journal';
import type { Blobs } from '../blobs/blobs.ts';
import { ConnectionLost, type Database } from '../database/database.ts';
import { type Lease, leaseLost } from './leases.ts';
import { findStateChanges, INLINE_BYTES, type KnownFiles } from './state-files.ts';

/** A project file after a change, as a check-in needs it. */
export interface WorkspaceEntry {
  readonly kind: 'file' | 'link' | 'folder';
  readonly sha256: string;
  readonly bytes: number;
  /** Undefined if the permissions were not changed. */
  readonly mode?: number | undefined;
}

/** How long an event may wait for others. */
const SOON_MS = 20;

export type HeldWork = ReturnType<typeof holdWork>;

interface Parts {
  readonly database: Database;
  readonly blobs: Blobs;
}

export function holdWork({ workId }: WorkAddress, lease: Lease, { database, blobs }: Parts) {
  const events: string[] = [];
  const journal: string[] = [];
  const entries = new Map<string, string | null>();
  const contents = new Map<string, Uint8Array>();
  const state: { folder: string | undefined; readonly known: KnownFiles } = {
    folder: undefined,
    known: new Map(),
  };
  let commits = lease.commits;
  let storedSeq = lease.lastSeq;
  let storedRecords = 0;
  const inOrder = createQueue();
  let queued: Promise<void> | undefined;
  let soon: NodeJS.Timeout | undefined;

  const commit = async (): Promise<void> => {
    const { changes, remember } = state.folder
      ? await findStateChanges(state.folder, state.known)
      : { changes: [], remember: () => undefined };
    const added = { events: [...events], journal: [...journal], entries: [...entries] };
    if (added.events.length + added.journal.length + added.entries.length + changes.length === 0) return;
    for (const { content, sha256 } of changes)
      if (content && sha256 && content.length > INLINE_BYTES) contents.set(sha256, content);
    const stored = new Map(contents);
    await blobs.put(stored);
    await store(database, [
      workId,
      lease.epoch,
      commits,
      storedSeq,
      added.events,
      changes.map(({ path }) => path),
      changes.map(({ content }) => (content && content.length <= INLINE_BYTES ? content : null)),
      changes.map(({ sha256 }) => sha256 ?? null),
      storedRecords,
      added.journal,
      added.entries.map(([path]) => path),
      added.entries.map(([, entry]) => entry),
    ]);
    commits++;
    storedSeq += added.events.length;
    storedRecords += added.journal.length;
    events.splice(0, added.events.length);
    journal.splice(0, added.journal.length);
    for (const [path, entry] of added.entries) if (entries.get(path) === entry) entries.delete(path);
    for (const sha256 of stored.keys()) contents.delete(sha256);
    remember();
  };
  const flush = (): Promise<void> => {
    queued ??= inOrder(() => {
      queued = undefined;
      if (lease.isLost) throw leaseLost();
      return commit();
    });
    return queued;
  };
  return {
    lease,
    state,
    /** When this resolves, everything collected so far is stored. */
    flush,
    get lastSeq(): number {
      return storedSeq + events.length;
    },
    addEvent(event: string): void {
      events.push(event);
      // Watchers see it soon; whoever needs it to be stored gets the error.
      if (soon) return;
      soon = setTimeout(() => {
        soon = undefined;
        void flush().catch(() => undefined);
      }, SOON_MS).unref();
    },
    openJournal: (records: readonly JournalRecord[]) => {
      storedRecords = records.length;
      return createJournalStorage(records, { blobs, journal, entries, contents });
    },
  };
}

/** The outcome of a commit that was cut off is asked for: the number of commits tells. */
async function store(database: Database, parameters: Parameters<Database['write']>[1] = []): Promise<void> {
  const types =
    'text, bigint, integer, integer, text[], text[], bytea[], text[], integer, text[], text[], text[]';
  const places = types.split(', ').map((type, index) => `$${index + 1}::${type}`);
  try {
    await database.write(`select commit_work(${places.join(', ')})`, parameters);
  } catch (error) {
    if (isFenced(error)) throw leaseLost();
    if (!(error instanceof ConnectionLost)) throw error;
    const [workId, epoch, afterCommit] = parameters as [string, string, number];
    const [head] = await database.read<{ commits: number }>(
      'select commits from work_heads where work_id = $1 and epoch = $2',
      [workId, epoch],
    );
    if (!head) throw leaseLost();
    if (head.commits === afterCommit + 1) return;
    return store(database, parameters);
  }
}

function isFenced(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === 'CA001';
}

interface Collected {
  readonly blobs: Blobs;
  readonly journal: string[];
  readonly entries: Map<string, string | null>;
  readonly contents: Map<string, Uint8Array>;
}

/** A step that is done is a change of a project file. */
function createJournalStorage(
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
