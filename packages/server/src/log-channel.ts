/**
 * What the log of a Work tells, for everybody who watches it: from its engine where this process works on
 * it, else from the log itself, which another process may be writing. Keeps the view, so that a snapshot is always at hand.
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
  /** Nobody watches it, and no engine tells of it. */
  readonly isIdle: boolean;
  /** Takes events from an engine of this process; the answer ends that. */
  attach(subscribe: (listener: (event: RunEvent) => void) => () => void): Promise<() => Promise<void>>;
  /** Catches up with the log. */
  sync(): Promise<void>;
  /** A reader's stream, from behind `after` on where that can be had, else from a snapshot. */
  open(after: number | undefined, onStalled: () => void): Promise<ReadableStream<Uint8Array>>;
  close(): void;
}

export interface ChannelOptions {
  readonly workId: string;
  /** A new look at the log, from its beginning. */
  openTail(): LogTail;
  readonly redact: Redact;
  readonly timing?: Partial<ChannelTiming> | undefined;
  onBug(id: string, error: unknown): void;
  /** Told when the last reader went. */
  onIdle(): void;
}

export interface ChannelTiming extends FeedTiming {
  /** How often a log is looked at that another process may be writing. */
  readonly lookEveryMs: number;
}

const LOOK_EVERY_MS = 200;
/** What is kept at hand for readers that come back. */
const MAX_STORED = 2_000;
const MAX_STORED_CHARS = 4_000_000;
/** Whoever missed more than this is better off with a snapshot. */
const MAX_REPLAYED = 5_000;

interface Kept {
  readonly seq: number;
  readonly frame: string;
}

export function createLogChannel(options: ChannelOptions): LogChannel {
  const { workId, openTail, redact, timing, onBug, onIdle } = options;
  const view = createWorkView(workId);
  const log = view.own;
  const tail = openTail();
  const kept: Kept[] = [];
  let bufferedChars = 0;
  let snapshot: string | undefined;
  let attached = 0;
  let syncing: Promise<void> = Promise.resolve();
  let syncs = 0;
  const held: RunEvent[] = [];
  let looker: NodeJS.Timeout | undefined;

  const toSnapshot = (): string => {
    snapshot ??= toFrame(redact(JSON.stringify(snapshotOf(view))), {
      event: 'snapshot',
      id: log.lastSeq,
    });
    return snapshot;
  };
  const look = (): void => {
    looker ??= setTimeout(() => {
      looker = undefined;
      if (attached > 0 || feed.readers === 0) return;
      void sync()
        .catch((error: unknown) => onBug('tail', error))
        .finally(look);
    }, timing?.lookEveryMs ?? LOOK_EVERY_MS).unref();
  };
  const feed = createFeed({
    snapshot: toSnapshot,
    timing,
    onReaders(readers) {
      if (readers > 0) look();
      else onIdle();
    },
  });

  const accept = (event: RunEvent): void => {
    const isPassing = isDelta(event);
    // Known already, or a word of a reply that is complete by now.
    if (isPassing ? event.seq < log.lastSeq : event.seq <= log.lastSeq) return;
    addToWorkView(view, event);
    snapshot = undefined;
    const frame = toFrame(redact(JSON.stringify(event)), isPassing ? {} : { id: event.seq });
    if (!isPassing) keep({ seq: event.seq, frame });
    feed.publish(frame);
  };
  const keep = (entry: Kept): void => {
    kept.push(entry);
    bufferedChars += entry.frame.length;
    while (kept.length > MAX_STORED || (bufferedChars > MAX_STORED_CHARS && kept.length > 1))
      bufferedChars -= kept.shift()?.frame.length ?? 0;
  };
  /** Undefined where not everything behind `after` is at hand. */
  const lengthAfter = (after: number): string | undefined => {
    if (after === log.lastSeq) return '';
    const [first] = kept;
    if (after > log.lastSeq || !first || first.seq > after + 1) return undefined;
    return kept
      .filter(({ seq }) => seq > after)
      .map(({ frame }) => frame)
      .join('');
  };

  /** What an engine says meanwhile waits until all before it has been read. */
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
    const atHand = lengthAfter(after);
    if (atHand !== undefined || after > log.lastSeq || log.lastSeq - after > MAX_REPLAYED) return atHand;
    const missed: Kept[] = [];
    await openTail().read((event) => {
      if (event.seq <= after) return;
      missed.push({ seq: event.seq, frame: toFrame(redact(JSON.stringify(event)), { id: event.seq }) });
    });
    // It may have gone on meanwhile.
    const last = missed.at(-1)?.seq ?? after;
    const rest = last >= log.lastSeq ? '' : lengthAfter(last);
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
        if (feed.readers > 0) look();
        else onIdle();
      };
      // Begun first: what is told from here on waits for what was told before.
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
    async open(after, onStalled) {
      // Nobody may have looked for a while.
      if (attached === 0) await sync();
      const missed = after === undefined ? undefined : await replay(after);
      // A heartbeat where there is nothing to tell: the reader learns that it is connected.
      const first = missed === undefined ? undefined : `${missed}${toStreaming(view)}` || ':\n\n';
      return feed.open({ first, onStalled });
    },
    close() {
      clearTimeout(looker);
      feed.close();
    },
  };
}

/** The runs of a conversation have channels of their own. */
function snapshotOf({ own, state }: WorkView): WorkSnapshot {
  return { view: own, state, seq: own.lastSeq };
}

/** Words of a reply that is under way are in no log; a reader that comes back gets all of them. */
function toStreaming({ own: { streaming } }: WorkView): string {
  return streaming ? toFrame(JSON.stringify(streaming), { event: 'streaming' }) : '';
}
