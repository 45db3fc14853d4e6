/**
 * All conversations and runs of this user for lists and inboxes, whichever process works on them, with a stream of changes.
 */
import type { ListedWork, Runtime, WorkAddress } from '@crewagent/core';
import type { ListMessage, WorkList, WorkSummary } from '@crewagent/protocol/api/work-messages';
import type { RunPhase } from '@crewagent/protocol/run';
import { toStatus } from '@crewagent/protocol/status';
import type { WorkRecord } from '@crewagent/protocol/work';
import type { Redact } from '../security/redact.ts';
import { createFeed, type Feed, type FeedTiming, toFrame } from '../streams/feed.ts';
import { toSummary } from './summaries.ts';

interface WorkFilter {
  readonly project?: string | undefined;
  readonly phase?: RunPhase | undefined;
  /** Archived or not archived conversations; all if omitted. */
  readonly isArchived?: boolean | undefined;
}

export interface WorksListOptions {
  readonly runtime: Runtime;
  readonly redact: Redact;
  /** Whether this process holds the lock of the Work. */
  isHeld(workId: string): boolean;
  /** Called with Works whose runs or called runs, other than active ones, were changed by another process. */
  onRunsChanged?(workIds: readonly string[]): void;
  readonly timing?: Partial<FeedTiming & { readonly pollEveryMs: number }> | undefined;
  onBug(id: string, error: unknown): void;
}

/** Notices report changes; polls find those that the system does not report. */
const POLL_EVERY_MS = 5_000;
/** While another process works on something: its death leaves no notice. */
const POLL_LIVE_EVERY_MS = 1_000;
/** A thorough poll, for changes that left no mark, takes place in the time of this many regular ones. */
const THOROUGH_EVERY = 12;

export type WorksList = ReturnType<typeof createWorksList>;

export function createWorksList(options: WorksListOptions) {
  const { runtime, redact, isHeld, onRunsChanged, timing, onBug } = options;
  const { store } = runtime;
  const watch = store.works.watch();
  const feeds = createProjectFeeds(timing, (project) =>
    toFrame(redact(JSON.stringify(listWorks(watch.list(), { project }))), { event: 'snapshot' }),
  );
  let polling: Promise<void> | undefined;
  let isClosed = false;
  /** Works whose phase is Running. */
  let live: readonly WorkAddress[] = [];
  let thoroughAt = Number.NEGATIVE_INFINITY;

  const everyMs = (): number =>
    timing?.pollEveryMs ?? (live.some(({ workId }) => !isHeld(workId)) ? POLL_LIVE_EVERY_MS : POLL_EVERY_MS);

  /** Guarantees that the caller sees all earlier changes, also when a poll is already in progress. */
  const refresh = async (): Promise<void> => {
    await polling?.catch(() => undefined);
    polling ??= pollOnce().finally(() => {
      polling = undefined;
    });
    await polling;
  };
  const pollOnce = async (): Promise<void> => {
    await pollAndPublish();
    if (!(await hasCrashed())) return;
    await runtime.sweepInterrupted();
    await pollAndPublish();
  };
  const pollAndPublish = async (): Promise<void> => {
    const isThorough = performance.now() - thoroughAt >= THOROUGH_EVERY * everyMs();
    if (isThorough) thoroughAt = performance.now();
    const { changed, removed } = await watch.poll({ isThorough });
    if (changed.length + removed.length === 0) return;
    live = watch.list().filter(({ record }) => record && toStatus(record).isRunning);
    const summaryOf = createSummaries(watch.list());
    const ids = new Set([...changed, ...removed].map(({ workId }) => workId));
    for (const { workId, projectId, record } of watch.list()) {
      // Works that changed, and conversations whose active run changed.
      const isAnnounced = ids.has(workId) || ids.has(record?.activeRunId ?? '');
      if (record && isAnnounced && !record.call)
        publish(projectId, { type: 'work', data: summaryOf(record) });
    }
    const owners = findOwners(watch.list(), new Set([...ids].filter((id) => !isHeld(id))));
    if (owners.length > 0) onRunsChanged?.(owners);
    for (const { projectId, workId } of removed)
      publish(projectId, { type: 'work.removed', data: { workId } });
  };
  /** Whether a Work says Running although no process works on it. */
  const hasCrashed = async (): Promise<boolean> => {
    for (const work of live) if (!isHeld(work.workId) && !(await store.works.isLeased(work))) return true;
    return false;
  };
  const publish = (projectId: string, { type, data }: ListMessage): void =>
    feeds.publish(projectId, toFrame(redact(JSON.stringify(data)), { event: type }));
  const schedule = createPollSchedule({
    poll: refresh,
    subscribe: (onNotice) => watch.subscribe(onNotice),
    isWanted: () => !isClosed && feeds.hasReaders(),
    everyMs,
    onBug,
  });

  return {
    async list(filter: WorkFilter = {}): Promise<WorkList> {
      await refresh();
      return listWorks(watch.list(), filter);
    },
    /** The summary of a Work, as in the list. */
    async summaryOf(record: WorkRecord): Promise<WorkSummary> {
      await refresh();
      return createSummaries(watch.list())(record);
    },
    /** Opens a stream for a new reader: of one project, or of all projects. */
    async open(projectId: string | undefined, onStalled: () => void): Promise<ReadableStream<Uint8Array>> {
      await refresh();
      const stream = feeds.open(projectId, onStalled);
      schedule.start();
      return stream;
    },
    /** Polls now, because something has just changed. */
    scheduleRefresh: (): void => schedule.pollSoon(),
    close(): void {
      isClosed = true;
      schedule.stop();
      feeds.close();
    },
  };
}

/** One feed per project, and one for all projects. */
function createProjectFeeds(
  timing: Partial<FeedTiming> | undefined,
  snapshotOf: (projectId: string | undefined) => string,
) {
  const feeds = new Map<string | undefined, Feed>();
  const feedOf = (projectId: string | undefined): Feed => {
    const known = feeds.get(projectId);
    if (known) return known;
    const created = createFeed({
      timing,
      snapshot: () => snapshotOf(projectId),
      onReaders(readers) {
        if (readers === 0) feeds.delete(projectId);
      },
    });
    feeds.set(projectId, created);
    return created;
  };
  return {
    open: (projectId: string | undefined, onStalled: () => void) => feedOf(projectId).open({ onStalled }),
    /** Sends a frame to the readers of the project and of all projects. */
    publish(projectId: string, frame: string): void {
      feeds.get(projectId)?.publish(frame);
      feeds.get(undefined)?.publish(frame);
    },
    hasReaders: (): boolean => [...feeds.values()].some(({ readers }) => readers > 0),
    close(): void {
      for (const feed of feeds.values()) feed.close();
    },
  };
}

function listWorks(works: readonly ListedWork[], { project, phase, isArchived }: WorkFilter): WorkList {
  const summaryOf = createSummaries(works);
  const found = works
    // The run of a sub-workflow is shown in the run that called it.
    .filter(({ record }) => !record?.call)
    .filter(({ projectId }) => project === undefined || projectId === project)
    .filter(({ record }) => isArchived === undefined || (record?.archivedAt !== undefined) === isArchived);
  return {
    works: found
      .flatMap(({ record }) => (record ? [summaryOf(record)] : []))
      .filter((work) => phase === undefined || work.phase === phase)
      .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0)),
    damaged: found.flatMap(({ record, problem = UNREADABLE, ...address }) =>
      record ? [] : [{ ...address, problem }],
    ),
  };
}

const UNREADABLE = 'It could not be read.';

/** The conversations and the callers of these runs; an active run is followed by itself. */
function findOwners(works: readonly ListedWork[], changed: ReadonlySet<string>): string[] {
  const active = new Set(works.map(({ record }) => record?.activeRunId));
  return works.flatMap(({ workId, record }) => {
    if (!changed.has(workId) || active.has(workId)) return [];
    return [record?.parentId, record?.call?.rootId].filter((owner) => owner !== undefined);
  });
}

/** A conversation has the phase of its active run. */
function createSummaries(works: readonly ListedWork[]): (record: WorkRecord) => WorkSummary {
  const byId = new Map(works.map(({ workId, record }) => [workId, record]));
  return (record) => toSummary(record, byId.get(record.activeRunId ?? ''));
}

interface PollOptions {
  poll(): Promise<void>;
  /** Subscribes to notices; returns a function that ends it. */
  subscribe(onNotice: () => void): () => void;
  isWanted(): boolean;
  /** Time between regular polls. */
  everyMs(): number;
  onBug(id: string, error: unknown): void;
}

/** A change causes several notices. */
const NOTICE_DELAY_MS = 20;

/** Decides when the store is read again: soon after a notice, and regularly for changes that cause none. */
function createPollSchedule({ poll, subscribe, isWanted, everyMs, onBug }: PollOptions) {
  let timer: NodeJS.Timeout | undefined;
  let dueAt = 0;
  let unsubscribe: (() => void) | undefined;

  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
    unsubscribe?.();
    unsubscribe = undefined;
  };
  const pollNow = async (): Promise<void> => {
    timer = undefined;
    try {
      await poll();
    } catch (error) {
      onBug('works list', error);
    }
    pollIn(everyMs());
  };
  /** An earlier poll that is already scheduled stays. */
  const pollIn = (delayMs: number): void => {
    if (!isWanted()) {
      stop();
      return;
    }
    unsubscribe ??= subscribe(() => pollIn(NOTICE_DELAY_MS));
    const at = performance.now() + delayMs;
    if (timer && dueAt <= at) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(() => void pollNow(), delayMs).unref();
  };
  return {
    /** Polls regularly and on notices, as long as somebody wants it. */
    start: () => pollIn(everyMs()),
    pollSoon: () => pollIn(0),
    stop,
  };
}
