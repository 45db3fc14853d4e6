/**
 * The events of one Work for all its readers: from its engine if the Work is open in this process, else from its log, which
 * another process may be writing. Maintains the view, so that a snapshot is always available.
 */
import type { LogTail } from '@crewagent/core';
import type { WorkSnapshot } from '@crewagent/protocol/api/work-messages';
import { isDelta } from '@crewagent/protocol/event-kinds';
import type { RunEvent } from '@crewagent/protocol/events';
import { toLastPage } from '@crewagent/protocol/story/pages';
import { addToWorkStory, createWorkStory, type WorkStory } from '@crewagent/protocol/story/work-story';
import type { Redact } from '../security/redact.ts';
import { createFeed, type FeedTiming, toFrame } from './feed.ts';

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
/** A log that gives notice is polled less often, for notices that were lost. */
const FOLLOWED = 10;

export type LogChannel = ReturnType<typeof createLogChannel>;

export function createLogChannel({ workId, openTail, redact, timing, onBug, onIdle }: ChannelOptions) {
  const view = createWorkStory(workId);
  const log = view.own;
  const toFrameOf = (event: RunEvent): string => toLogFrame(event, redact);
  const buffer = createReplayBuffer({ openTail, toFrame: toFrameOf, lastSeq: () => log.lastSeq });
  let snapshot: string | undefined;
  let [attached, wasRead] = [0, false];
  let pollTimer: NodeJS.Timeout | undefined;
  let unfollow: (() => void) | undefined;
  const tail = openTail();

  const toSnapshot = (): string => (snapshot ??= toSnapshotFrame(view, redact));
  const poll = (): void => {
    pollTimer ??= setTimeout(
      () => {
        pollTimer = undefined;
        if (attached > 0 || feed.readers === 0) return;
        void sync()
          .catch((error: unknown) => onBug('tail', error))
          .finally(poll);
      },
      (timing?.pollEveryMs ?? POLL_EVERY_MS) * (tail.follow ? FOLLOWED : 1),
    ).unref();
  };
  const follow = (): void => {
    unfollow ??= tail.follow?.(() => {
      if (attached === 0) void sync().catch((error: unknown) => onBug('tail', error));
    }, offer);
  };
  const feed = createFeed({
    snapshot: toSnapshot,
    timing,
    onReaders(readers) {
      if (readers > 0) {
        poll();
        follow();
        return;
      }
      unfollow?.();
      unfollow = undefined;
      onIdle();
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
  const { sync, offer, isReading } = createLogOrder(tail, accept);

  /** Without an engine the log may be ahead of the view. */
  const catchUp = (): Promise<void> => (attached === 0 ? sync() : Promise.resolve());

  return {
    /** The view with all events that are in the log by now. */
    viewNow: (): Promise<WorkStory> => catchUp().then(() => view),
    /** No reader and no engine is attached. */
    get isIdle(): boolean {
      return attached === 0 && feed.readers === 0;
    },
    /** Subscribes to an engine of this process. Returns a function that detaches it. */
    async attach(subscribe: Subscribe): Promise<() => Promise<void>> {
      attached++;
      const leave = (): void => {
        attached--;
        if (feed.readers > 0) poll();
        else onIdle();
      };
      // Started before `subscribe`, so that new events wait for older ones.
      const reading = sync();
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
          await sync();
        } finally {
          leave();
        }
      };
    },
    sync,
    /** Sends all readers a snapshot: runs that they do not follow have changed, and they read those again. */
    announce: (): void => feed.publish(toSnapshot()),
    /** Opens a reader's stream: the events after `after` if they are available, else a snapshot. */
    async open(after: number | undefined, onStalled: () => void): Promise<ReadableStream<Uint8Array>> {
      wasRead = true;
      await catchUp();
      const missed = after === undefined ? undefined : await buffer.replay(after);
      // Sends a heartbeat if there is nothing to send, so that the reader knows it is connected.
      const first = missed === undefined ? undefined : `${missed}${toStreaming(view)}` || ':\n\n';
      return feed.open({ first, onStalled });
    },
    close(): void {
      clearTimeout(pollTimer);
      unfollow?.();
      feed.close();
    },
  };
}

function toLogFrame(event: RunEvent, redact: Redact): string {
  return toFrame(redact(JSON.stringify(event)), isDelta(event) ? {} : { id: event.seq });
}

function createLogOrder(tail: LogTail, accept: (event: RunEvent) => void) {
  let syncing: Promise<void> = Promise.resolve();
  let syncs = 0;
  const held: RunEvent[] = [];
  return {
    /** Reads new events from the log. */
    sync(): Promise<void> {
      syncs++;
      syncing = syncing
        .catch(() => undefined)
        .then(() => tail.read(accept))
        .finally(() => {
          syncs--;
          if (syncs === 0) for (const event of held.splice(0)) accept(event);
        });
      return syncing;
    },
    isReading: (): boolean => syncs > 0,
    /** Accepts an event of an engine, after everything before it has been read from the log. */
    offer(event: RunEvent): void {
      if (syncs > 0) held.push(event);
      else accept(event);
    },
  };
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
