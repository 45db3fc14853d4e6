/**
 * All conversations and runs of this user for lists and inboxes, whichever process works on them, with a stream of changes.
 */
import type { Runtime } from '@crewagent/core';
import type { ListMessage, WorkList, WorkSummary } from '@crewagent/protocol/api/work-messages';
import type { WorkRecord } from '@crewagent/protocol/work';
import type { Redact } from '../security/redact.ts';
import { createFeed, type Feed, type FeedTiming, toFrame } from '../streams/feed.ts';
import type { ProjectScope } from './work-counts.ts';
import { createWorksIndex } from './works-index.ts';
import { toSnapshot, toWorksPage, type WorkQuery } from './works-page.ts';

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
  const index = createWorksIndex();
  const feeds = createProjectFeeds(timing, (scope) =>
    toFrame(redact(JSON.stringify(toSnapshot(index, scope))), { event: 'snapshot' }),
  );
  let polling: Promise<void> | undefined;
  let isClosed = false;
  let thoroughAt = Number.NEGATIVE_INFINITY;

  const everyMs = (): number =>
    timing?.pollEveryMs ??
    (index.running().some(({ workId }) => !isHeld(workId)) ? POLL_LIVE_EVERY_MS : POLL_EVERY_MS);

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
    for (const record of index.apply({ changed, removed }))
      publish(record.projectId, { type: 'work', data: index.summaryOf(record) });
    const owners = index.ownersOf(changed.filter(({ workId }) => !isHeld(workId)));
    if (owners.length > 0) onRunsChanged?.(owners);
    for (const { projectId, workId } of removed)
      publish(projectId, { type: 'work.removed', data: { workId } });
    for (const projectId of new Set([...changed, ...removed].map((work) => work.projectId)))
      feeds.publishEach(projectId, (scope) => frameOf({ type: 'counts', data: index.counts(scope) }));
  };
  /** Whether a Work says Running although no process works on it. */
  const hasCrashed = async (): Promise<boolean> => {
    for (const work of index.running())
      if (!isHeld(work.workId) && !(await store.works.isLeased(work))) return true;
    return false;
  };
  const frameOf = ({ type, data }: ListMessage): string =>
    toFrame(redact(JSON.stringify(data)), { event: type });
  const publish = (projectId: string, message: ListMessage): void => {
    // Nobody may be reading.
    let frame: string | undefined;
    feeds.publishEach(projectId, () => (frame ??= frameOf(message)));
  };
  const schedule = createPollSchedule({
    poll: refresh,
    subscribe: (onNotice) => watch.subscribe(onNotice),
    isWanted: () => !isClosed && feeds.hasReaders(),
    everyMs,
    onBug,
  });

  return {
    async list(query: WorkQuery = {}): Promise<WorkList> {
      await refresh();
      return toWorksPage(index, query);
    },
    /** The summary of a Work, as in the list. */
    async summaryOf(record: WorkRecord): Promise<WorkSummary> {
      await refresh();
      return index.summaryOf(record);
    },
    /** Opens a stream for a new reader: of some projects, or of all. */
    async open(scope: ProjectScope, onStalled: () => void): Promise<ReadableStream<Uint8Array>> {
      await refresh();
      const stream = feeds.open(scope, onStalled);
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

/** One feed per set of projects that somebody reads. */
function createProjectFeeds(
  timing: Partial<FeedTiming> | undefined,
  snapshotOf: (scope: ProjectScope) => string,
) {
  const feeds = new Map<string, { readonly scope: ProjectScope; readonly feed: Feed }>();
  const feedOf = (scope: ProjectScope): Feed => {
    const key = scope ? [...scope].sort().join(' ') : 'all';
    const known = feeds.get(key);
    if (known) return known.feed;
    const feed = createFeed({
      timing,
      snapshot: () => snapshotOf(scope),
      onReaders(readers) {
        if (readers === 0) feeds.delete(key);
      },
    });
    feeds.set(key, { scope, feed });
    return feed;
  };
  return {
    open: (scope: ProjectScope, onStalled: () => void) => feedOf(scope).open({ onStalled }),
    /** Sends a frame to all who read the project. */
    publishEach(projectId: string, frameFor: (scope: ProjectScope) => string): void {
      for (const { scope, feed } of feeds.values())
        if (!scope || scope.has(projectId)) feed.publish(frameFor(scope));
    },
    hasReaders: (): boolean => [...feeds.values()].some(({ feed }) => feed.readers > 0),
    close(): void {
      for (const { feed } of feeds.values()) feed.close();
    },
  };
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
