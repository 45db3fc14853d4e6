/**
 * The channels of all Works that are watched or open in this process. One channel per log, however many readers.
 */
import type { LogTail } from '@crewagent/core';
import type { Redact } from '../security/redact.ts';
import { type ChannelTiming, createLogChannel, type LogChannel, type Subscribe } from './log-channel.ts';

export interface HubOptions {
  /** Finds the log of a Work; the result opens it from its beginning. Throws where there is none. */
  findLog(id: string): Promise<() => LogTail>;
  readonly redact: Redact;
  readonly timing?: Partial<ChannelTiming> | undefined;
  onBug(id: string, error: unknown): void;
}

/** A page asks for a Work and then follows it; a reader that lost its connection reconnects within seconds. */
const LINGER_MS = 20_000;

export type EventHub = ReturnType<typeof createEventHub>;

export function createEventHub(options: HubOptions) {
  const { findLog, redact, timing, onBug } = options;
  const channels = new Map<string, Promise<LogChannel>>();

  const channelOf = (id: string): Promise<LogChannel> => {
    const known = channels.get(id);
    if (known) return known;
    const opened = openChannel(id);
    channels.set(id, opened);
    // A log that cannot be opened now may be opened later.
    opened.catch(() => channels.delete(id));
    return opened;
  };

  const openChannel = async (id: string): Promise<LogChannel> => {
    const openTail = await findLog(id);
    const channel = createLogChannel({
      workId: id,
      openTail,
      redact,
      timing,
      onBug,
      onIdle: () => forgetLater(id, channel),
    });
    return channel;
  };

  /** Number of operations in progress; a channel is not closed during one. */
  const uses = new Map<string, number>();
  const using = async <T>(id: string, work: (channel: LogChannel) => Promise<T>): Promise<T> => {
    const countUse = (change: 1 | -1): unknown => uses.set(id, (uses.get(id) ?? 0) + change);
    countUse(1);
    try {
      const channel = await channelOf(id);
      try {
        return await work(channel);
      } finally {
        if (channel.isIdle) forgetLater(id, channel);
      }
    } finally {
      countUse(-1);
      if (uses.get(id) === 0) uses.delete(id);
    }
  };
  const forgetLater = (id: string, channel: LogChannel): void => {
    const forget = async (): Promise<void> => {
      const known = await channels.get(id);
      if (known === channel && channel.isIdle && !uses.has(id)) drop(id);
    };
    setTimeout(() => void forget(), LINGER_MS).unref();
  };
  /** Closes the channel of a deleted Work; readers get the error when they reconnect. */
  const drop = (id: string): void => {
    const opened = channels.get(id);
    channels.delete(id);
    // One that could not be opened has nothing to close.
    opened?.then(
      (channel) => channel.close(),
      () => undefined,
    );
  };

  return {
    /** Publishes the events of a Work that is open in this process. Returns a function that detaches it. */
    attach: (id: string, subscribe: Subscribe) => using(id, (channel) => channel.attach(subscribe)),
    /** Opens a stream for a new reader. */
    open: (id: string, after: number | undefined, onStalled: () => void) =>
      using(id, (channel) => channel.open(after, onStalled)),
    /** The view of a Work by now, including text that is not in its log yet. Changes with later events. */
    viewOf: (id: string) => using(id, (channel) => channel.viewNow()),
    /** Reads events that were appended to a log by other means than its engine. */
    async refresh(id: string): Promise<void> {
      await (await channels.get(id))?.sync();
    },
    /** Tells the readers of these Works that runs which belong to them and are over have changed. */
    async announce(ids: readonly string[]): Promise<void> {
      for (const id of new Set(ids)) (await channels.get(id))?.announce();
    },
    drop,
    close(): void {
      for (const id of [...channels.keys()]) drop(id);
    },
  };
}
