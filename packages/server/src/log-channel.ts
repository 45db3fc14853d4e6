/**
 * The events of one Work for all its readers: from its engine if the Work is open in this process, else from its log, which
 * another process may be writing. Maintains the view, so that a snapshot is always available.
 */
import type { LogTail } from '@crewagent/core';
import type { WorkSnapshot } from '@crewagent/protocol/api/work-messages';
import { isDelta } from '@crewagent/protocol/event-kinds';
import type { RunEvent } from '@crewagent/protocol/events';
import { addToWorkView, createWorkView, type WorkView } from '@crewagent/protocol/work-view';
import { createFeed, type FeedTiming, toFrame } from './feed.ts';
import type { Redact } from './redact.ts';

export interface LogChannel {
  readonly view: WorkView;
  /** No reader and no engine is attached. */
  readonly isIdle: boolean;
  /** Subscribes to an engine of this process. Returns a function that detaches it. */
  attach(subscribe: (listener: (event: RunEvent) => void) => () => void): Promise<() => Promise<void>>;
  /** Reads new events from the log. */
  sync(): Promise<void>;
  /** Sends all readers a snapshot: runs that they do not follow have changed, and they read those again. */
  announce(): void;
  /** Opens a reader's stream: the events after `after` if they are available, else a snapshot. */
  open(after: number | undefined, onStalled: () => void): Promise<ReadableStream<Uint8Array>>;
  close(): void;
}

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
/** Size of the buffer for readers that reconnect. */
const MAX_STORED = 2_000;
const MAX_STORED_CHARS = 4_000_000;
/** A reader that missed more events than this gets a snapshot. */
const MAX_REPLAYED = 5_000;

interface BufferedFrame {
  readonly seq: number;
  readonly frame: string;
}

export function createLogChannel(options: ChannelOptions): LogChannel {
  const { workId, openTail, redact, timing, onBug, onIdle } = options;
  const view = createWorkView(workId);
  const log = view.own;
  const tail = openTail();
  const buffer: BufferedFrame[] = [];
  let bufferedChars = 0;
  let snapshot: string | undefined;
  let attached = 0;
  let syncing: Promise<void> = Promise.resolve();
  let syncs = 0;
  const held: RunEvent[] = [];
  let pollTimer: NodeJS.Timeout | undefined;

  const toSnapshot = (): string => {
    snapshot ??= toFrame(redact(JSON.stringify(snapshotOf(view))), {
      event: 'snapshot',
      id: log.lastSeq,
    });
    return snapshot;
  };
  const poll = (): void => {
    pollTimer ??= setTimeout(() => {
      pollTimer = undefined;
      if (attached > 0 || feed.readers === 0) return;
      void sync()
        .catch((error: unknown) => onBug('tail', error))
        .finally(poll);
    }, timing?.pollEveryMs ?? POLL_EVERY_MS).unref();
  };
  const feed = createFeed({
    snapshot: toSnapshot,
    timing,
    onReaders(readers) {
      if (readers > 0) poll();
      else onIdle();
    },
  });

  const accept = (event: RunEvent): void => {
    const isTransient = isDelta(event);
    // Already known, or a delta of a reply that is complete by now.
    if (isTransient ? event.seq < log.lastSeq : event.seq <= log.lastSeq) return;
    addToWorkView(view, event);
    snapshot = undefined;
    // A long log is read before its first reader is there, who begins with a view of it.
    if (syncs > 0 && feed.readers === 0) {
      buffer.length = 0;
      bufferedChars = 0;
      return;
    }
    const frame = toFrame(redact(JSON.stringify(event)), isTransient ? {} : { id: event.seq });
    if (!isTransient) addToBuffer({ seq: event.seq, frame });
    feed.publish(frame);
  };
  const addToBuffer = (entry: BufferedFrame): void => {
    buffer.push(entry);
    bufferedChars += entry.frame.length;
    while (buffer.length > MAX_STORED || (bufferedChars > MAX_STORED_CHARS && buffer.length > 1))
      bufferedChars -= buffer.shift()?.frame.length ?? 0;
  };
  /** The buffered frames after `after`; undefined if some are no longer buffered. */
  const framesAfter = (after: number): string | undefined => {
    if (after === log.lastSeq) return '';
    const [first] = buffer;
    if (after > log.lastSeq || !first || first.seq > after + 1) return undefined;
    return buffer
      .filter(({ seq }) => seq > after)
      .map(({ frame }) => frame)
      .join('');
  };

  /** Events of an engine are held back until everything before them has been read from the log. */
  const sync = (): Promise<void> => {
    syncs++;
    syncing = syncing
      .catch(() => undefined)
      .then(() => tail.read(accept))
      .finally(() => {
        syncs--;
        if (syncs === 0) for (const event of held.splice(0)) accept(event);
      });
    return syncing;
  };

  const replay = async (after: number): Promise<string | undefined> => {
    const buffered = framesAfter(after);
    if (buffered !== undefined || after > log.lastSeq || log.lastSeq - after > MAX_REPLAYED) return buffered;
    const missed: BufferedFrame[] = [];
    await openTail().read((event) => {
      if (event.seq <= after) return;
      missed.push({ seq: event.seq, frame: toFrame(redact(JSON.stringify(event)), { id: event.seq }) });
    });
    // More events may have been added meanwhile.
    const last = missed.at(-1)?.seq ?? after;
    const rest = last >= log.lastSeq ? '' : framesAfter(last);
    if (rest === undefined) return undefined;
    return missed
      .filter(({ seq }) => seq <= log.lastSeq)
      .map(({ frame }) => frame)
      .join('')
      .concat(rest);
  };

  return {
    view,
    get isIdle() {
      return attached === 0 && feed.readers === 0;
    },
    async attach(subscribe) {
      attached++;
      const leave = (): void => {
        attached--;
        if (feed.readers > 0) poll();
        else onIdle();
      };
      // Started before `subscribe`, so that new events wait for older ones.
      const reading = sync();
      const unsubscribe = subscribe((event) => {
        if (syncs > 0) held.push(event);
        else accept(event);
      });
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
    announce: () => feed.publish(toSnapshot()),
    async open(after, onStalled) {
      // Without an engine the log may be ahead of the view.
      if (attached === 0) await sync();
      const missed = after === undefined ? undefined : await replay(after);
      // Sends a heartbeat if there is nothing to send, so that the reader knows it is connected.
      const first = missed === undefined ? undefined : `${missed}${toStreaming(view)}` || ':\n\n';
      return feed.open({ first, onStalled });
    },
    close() {
      clearTimeout(pollTimer);
      feed.close();
    },
  };
}

/** Runs of a conversation have channels of their own. */
function snapshotOf({ own, state }: WorkView): WorkSnapshot {
  return { view: own, state, seq: own.lastSeq };
}

/** The reply in progress is in no log; a reader that reconnects gets all of its text. */
function toStreaming({ own: { streaming } }: WorkView): string {
  return streaming ? toFrame(JSON.stringify(streaming), { event: 'streaming' }) : '';
}
