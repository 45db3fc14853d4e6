/**
 * The events of one Work for all its readers: from its engine if the Work is open in this process, else from its log, which
 * another process may be writing. Maintains the view while somebody reads it; most Works run unwatched, and their log is read when
 * somebody asks.
 */
import type { LogTail } from '@crewagent/core';
import type { WorkSnapshot } from '@crewagent/protocol/api/work-messages';
import { isDelta } from '@crewagent/protocol/event-kinds';
import type { RunEvent } from '@crewagent/protocol/events';
import { toLastPage } from '@crewagent/protocol/story/pages';
import { addToWorkStory, createWorkStory, type WorkStory } from '@crewagent/protocol/story/work-story';
import type { Redact } from '../security/redact.ts';
import { createFeed, type FeedTiming, toFrame } from './feed.ts';
import { createJoinedDeltas } from './joined-deltas.ts';
import { createLogOrder, type LogOrder } from './log-order.ts';

export type Subscribe = (listener: (event: RunEvent) => void) => () => void;

export interface ChannelOptions {
  readonly workId: string;
  /** Opens the log from its beginning. */
  openTail(): LogTail;
  readonly redact: Redact;
  readonly timing?: Partial<ChannelTiming> | undefined;
  onBug(id: string, error: unknown): void;
  /** Called when the last reader left. */
  onIdle(): void;
}

export interface ChannelTiming extends FeedTiming {
  /** Polling interval for a log that another process may be writing. */
  readonly pollEveryMs: number;
}

const POLL_EVERY_MS = 200;
/** A reader that lost its connection reconnects within seconds, and continues after its last event. */
const RECONNECT_MS = 20_000;

export type LogChannel = ReturnType<typeof createLogChannel>;

export function createLogChannel({ workId, openTail, redact, timing, onBug, onIdle }: ChannelOptions) {
  const view = createWorkStory(workId);
  const log = view.own;
  const toFrameOf = (event: RunEvent): string => toLogFrame(event, redact);
  const buffer = createReplayBuffer({ openTail, toFrame: toFrameOf, lastSeq: () => log.lastSeq });
  let snapshot: string | undefined;
  let [attached, wasRead] = [0, false];
  const tail = openTail();

  const toSnapshot = (): string => (snapshot ??= toSnapshotFrame(view, redact));
  const watching = createWatching(tail, {
    read: () => sync(),
    onDelta: (event) => offer(event),
    everyMs: timing?.pollEveryMs ?? POLL_EVERY_MS,
    isWanted: () => attached === 0 && feed.readers > 0,
    onBug,
  });
  const feed = createFeed({
    snapshot: toSnapshot,
    timing,
    onReaders(readers) {
      follow.onReaders(readers);
      if (readers > 0) watching.start();
      else {
        watching.stop();
        onIdle();
      }
    },
  });

  const accept = (event: RunEvent): void => {
    const isTransient = isDelta(event);
    // Already known, or a delta of a reply that is complete by now.
    if (isTransient ? event.seq < log.lastSeq : event.seq <= log.lastSeq) return;
    addToWorkStory(view, event);
    snapshot = undefined;
    // A log is read before its first reader is there, who begins with a view of it. Nobody else needs frames.
    if (!wasRead || (isReading() && feed.readers === 0)) {
      buffer.clear();
      return;
    }
    const frame = toFrameOf(event);
    if (!isTransient) buffer.add({ seq: event.seq, frame });
    feed.publish(frame);
  };
  const follow = createFollowing();
  const deltas = createJoinedDeltas(accept);
  const order = createLogOrder(tail, deltas.accept, follow.isOn);
  const { sync, offer, isReading } = order;

  /** Without an engine the log may be ahead of the view. */
  const catchUp = async (): Promise<void> => {
    if (attached === 0 || order.isBehind()) await sync();
    deltas.flush();
  };

  return {
    /** The view with all events by now. */
    viewNow: (): Promise<WorkStory> => catchUp().then(() => view),
    /** No reader and no engine is attached. */
    get isIdle(): boolean {
      return attached === 0 && feed.readers === 0;
    },
    /** Subscribes to an engine of this process. Returns a function that detaches it. */
    attach(subscribe: Subscribe): Promise<() => Promise<void>> {
      attached++;
      return attachEngine(order, subscribe, () => {
        attached--;
        if (feed.readers > 0) watching.start();
        else onIdle();
      });
    },
    sync,
    /** Sends all readers a snapshot: runs that they do not follow have changed, and they read those again. */
    announce: (): void => feed.publish(toSnapshot()),
    /** Opens a reader's stream: the events after `after` if they are available, else a snapshot. */
    async open(after: number | undefined, onStalled: () => void): Promise<ReadableStream<Uint8Array>> {
      wasRead = true;
      return follow.whileOpening(async () => {
        await catchUp();
        const missed = after === undefined ? undefined : await buffer.replay(after);
        // Sends a heartbeat if there is nothing to send, so that the reader knows it is connected.
        const first = missed === undefined ? undefined : `${missed}${toStreaming(view)}` || ':\n\n';
        return feed.open({ first, onStalled });
      });
    },
    close(): void {
      watching.stop();
      deltas.close();
      feed.close();
    },
  };
}

/** Reads what is in the log before the events of the engine. `leave` is called when the engine is detached. */
async function attachEngine(
  { offer, settle }: LogOrder,
  subscribe: Subscribe,
  leave: () => void,
): Promise<() => Promise<void>> {
  // Started before `subscribe`, so that new events wait for older ones.
  const reading = settle();
  const unsubscribe = subscribe(offer);
  try {
    await reading;
  } catch (error) {
    unsubscribe();
    leave();
    throw error;
  }
  return async () => {
    unsubscribe();
    try {
      await settle();
    } finally {
      leave();
    }
  };
}

interface WatchingOptions extends Pick<ChannelOptions, 'onBug'> {
  read(): Promise<void>;
  onDelta(event: RunEvent): void;
  readonly everyMs: number;
  isWanted(): boolean;
}

/** Reads a log that another process writes as long as somebody wants it: when there is notice of something new, or regularly. */
function createWatching(
  tail: LogTail,
  { read, onDelta, everyMs, isWanted, onBug }: WatchingOptions,
): { start(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let unfollow: (() => void) | undefined;
  const readSafely = (): Promise<void> => read().catch((error: unknown) => onBug('tail', error));
  const poll = (): void => {
    if (tail.follow) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      if (isWanted()) void readSafely().finally(poll);
    }, everyMs).unref();
  };
  return {
    start(): void {
      poll();
      unfollow ??= tail.follow?.(() => {
        if (isWanted()) void readSafely();
      }, onDelta);
    },
    stop(): void {
      clearTimeout(timer);
      timer = undefined;
      unfollow?.();
      unfollow = undefined;
    },
  };
}

/** Whether somebody reads, is about to, or has just lost the connection. */
function createFollowing() {
  let [readers, opening, untilMs] = [0, 0, Number.NEGATIVE_INFINITY];
  return {
    isOn: (): boolean => readers + opening > 0 || performance.now() < untilMs,
    onReaders(count: number): void {
      readers = count;
      if (count === 0) untilMs = performance.now() + RECONNECT_MS;
    },
    async whileOpening<T>(open: () => Promise<T>): Promise<T> {
      opening++;
      try {
        return await open();
      } finally {
        opening--;
      }
    },
  };
}

function toLogFrame(event: RunEvent, redact: Redact): string {
  return toFrame(redact(JSON.stringify(event)), isDelta(event) ? {} : { id: event.seq });
}

/** Runs of a conversation have channels of their own. */
function toSnapshotFrame({ own, state }: WorkStory, redact: Redact): string {
  const snapshot: WorkSnapshot = { view: toLastPage(own), state, seq: own.lastSeq };
  return toFrame(redact(JSON.stringify(snapshot)), { event: 'snapshot', id: own.lastSeq });
}

/** The reply in progress is in no log; a reader that reconnects gets all of its text. */
function toStreaming({ own: { streaming } }: WorkStory): string {
  return streaming ? toFrame(JSON.stringify(streaming), { event: 'streaming' }) : '';
}

interface LogFrame {
  readonly seq: number;
  readonly frame: string;
}

interface ReplaySources {
  /** Opens the log from its beginning. */
  openTail(): LogTail;
  toFrame(event: RunEvent): string;
  /** The last event that readers know. */
  lastSeq(): number;
}

const MAX_STORED = 2_000;
const MAX_STORED_CHARS = 4_000_000;
/** A reader that missed more events than this gets a snapshot. */
const MAX_REPLAYED = 5_000;

/** The latest frames of a log, for readers that reconnect; older ones are read from the log again. */
function createReplayBuffer({ openTail, toFrame, lastSeq }: ReplaySources) {
  const buffer: LogFrame[] = [];
  let bufferedChars = 0;

  /** The buffered frames after `after`; undefined if some are no longer buffered. */
  const framesAfter = (after: number): string | undefined => {
    if (after === lastSeq()) return '';
    const [first] = buffer;
    if (after > lastSeq() || !first || first.seq > after + 1) return undefined;
    return join(buffer.filter(({ seq }) => seq > after));
  };
  return {
    add(entry: LogFrame): void {
      buffer.push(entry);
      bufferedChars += entry.frame.length;
      while (buffer.length > MAX_STORED || (bufferedChars > MAX_STORED_CHARS && buffer.length > 1))
        bufferedChars -= buffer.shift()?.frame.length ?? 0;
    },
    clear(): void {
      buffer.length = 0;
      bufferedChars = 0;
    },
    /** The frames after `after`; undefined if a snapshot is cheaper or some are not available. */
    async replay(after: number): Promise<string | undefined> {
      const buffered = framesAfter(after);
      if (buffered !== undefined || after > lastSeq() || lastSeq() - after > MAX_REPLAYED) return buffered;
      const missed: LogFrame[] = [];
      await openTail().read((event) => {
        if (event.seq > after) missed.push({ seq: event.seq, frame: toFrame(event) });
      });
      // More events may have been added meanwhile.
      const last = missed.at(-1)?.seq ?? after;
      const rest = last >= lastSeq() ? '' : framesAfter(last);
      if (rest === undefined) return undefined;
      return join(missed.filter(({ seq }) => seq <= lastSeq())) + rest;
    },
  };
}

function join(frames: readonly LogFrame[]): string {
  return frames.map(({ frame }) => frame).join('');
}
