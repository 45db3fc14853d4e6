/**
 * A Work whose lease this process holds. What its engine writes is collected, and one commit stores the events together with everything
 * they tell of: files of `@state`, records of the journal, changed project files. A worker that dies loses what no event tells of.
 */

import { createQueue, type WorkAddress } from '@crewagent/core/store';
import type { JournalRecord } from '@crewagent/protocol/journal';
import type { Blobs } from '../blobs/blobs.ts';
import type { Spending } from '../costs/spending.ts';
import type { Commits } from './commits.ts';
import { takeBegun } from './current-command.ts';
import type { HeldViews } from './held-views.ts';
import { createJournalStorage } from './journal-storage.ts';
import { type Lease, leaseLost } from './leases.ts';
import { findStateChanges, INLINE_BYTES, type KnownFiles } from './state-files.ts';

/** How long an event may wait for others. */
const SOON_MS = 20;

export type HeldWork = ReturnType<typeof holdWork>;

interface Parts {
  readonly commits: Commits;
  readonly blobs: Blobs;
  readonly views: Pick<HeldViews, 'store'>;
}

export function holdWork({ workId }: WorkAddress, lease: Lease, { commits, blobs, views }: Parts) {
  const events: string[] = [];
  const begun: string[] = [];
  const spent: Spending[] = [];
  const journal: string[] = [];
  const entries = new Map<string, string | null>();
  const contents = new Map<string, Uint8Array>();
  const state: { folder: string | undefined; readonly known: KnownFiles } = {
    folder: undefined,
    known: new Map(),
  };
  let after = lease.commits;
  let storedSeq = lease.lastSeq;
  let storedRecords = 0;
  const inOrder = createQueue();
  let queued: Promise<boolean> | undefined;

  /** False if there was nothing to store. */
  const commit = async (): Promise<boolean> => {
    const { changes, remember } = state.folder
      ? await findStateChanges(state.folder, state.known)
      : { changes: [], remember: () => undefined };
    const added = {
      ...{ events: [...events], begun: [...begun], spent: [...spent] },
      ...{ journal: [...journal], entries: [...entries] },
    };
    if (added.events.length + added.journal.length + added.entries.length + changes.length === 0)
      return false;
    for (const { content, sha256 } of changes)
      if (content && sha256 && content.length > INLINE_BYTES) contents.set(sha256, content);
    const stored = new Map(contents);
    await blobs.put(stored);
    await views.store();
    await commits.add({
      workId,
      epoch: lease.epoch,
      after,
      lastSeq: storedSeq,
      events: added.events,
      ...toColumns(changes),
      journalAfter: storedRecords,
      journal: added.journal,
      changedPaths: added.entries.map(([path]) => path),
      changedEntries: added.entries.map(([, entry]) => entry),
      begun: added.begun,
      spent: added.spent,
    });
    after++;
    storedSeq += added.events.length;
    storedRecords += added.journal.length;
    events.splice(0, added.events.length);
    begun.splice(0, added.begun.length);
    spent.splice(0, added.spent.length);
    journal.splice(0, added.journal.length);
    for (const [path, entry] of added.entries) if (entries.get(path) === entry) entries.delete(path);
    for (const sha256 of stored.keys()) contents.delete(sha256);
    remember();
    return true;
  };
  const store = (): Promise<boolean> => {
    queued ??= inOrder(() => {
      queued = undefined;
      if (lease.isLost || soon.isClosed()) throw leaseLost();
      return commit();
    });
    return queued;
  };
  const flush = async (): Promise<void> => void (await store());
  const soon = createSoon(() => void flush().catch(() => undefined));
  return {
    lease,
    state,
    /** When this resolves, everything collected so far is stored. */
    flush,
    /** The same, and the lease is still held: a commit compares it, too. */
    async settle(): Promise<void> {
      if (!(await store())) await commits.requireLease({ workId, epoch: lease.epoch });
    },
    /** Stores nothing from here on: what is removed of its folder is no change. When this resolves, no commit is under way. */
    async close(): Promise<void> {
      soon.close();
      await inOrder(() => Promise.resolve());
    },
    get lastSeq(): number {
      return storedSeq + events.length;
    },
    addEvent(event: string, spending?: Spending): void {
      events.push(event);
      if (spending) spent.push(spending);
      const command = takeBegun();
      if (command !== undefined) begun.push(command);
      // Watchers see it soon; whoever needs it to be stored gets the error.
      soon.request();
    },
    openJournal: (records: readonly JournalRecord[]) => {
      storedRecords = records.length;
      return createJournalStorage(records, { blobs, journal, entries, contents });
    },
  };
}

/** Calls `work` once for all requests of a moment, until it is closed. */
function createSoon(work: () => void) {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  return {
    request(): void {
      if (isClosed) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        work();
      }, SOON_MS).unref();
    },
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
    isClosed: () => isClosed,
  };
}

function toColumns(changes: Awaited<ReturnType<typeof findStateChanges>>['changes']) {
  return {
    statePaths: changes.map(({ path }) => path),
    stateContents: changes.map(({ content }) => (content && content.length <= INLINE_BYTES ? content : null)),
    stateHashes: changes.map(({ sha256 }) => sha256 ?? null),
  };
}
