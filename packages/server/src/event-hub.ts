/**
 * The channels of all runs that somebody watches or that this process works on. One channel a run, however many readers.
 */
import { createLogTail, type OpenRun, resolveRun, type StoreLayout } from '@crewagent/core';
import type { RunView } from '@crewagent/protocol/run-view';
import type { Redact } from './redact.ts';
import { type ChannelTiming, createRunChannel, type RunChannel } from './run-channel.ts';

export interface EventHub {
  /** Tells what an engine of this process does; the answer ends that. */
  attach(run: OpenRun): Promise<() => Promise<void>>;
  /** The stream of a new reader. */
  open(runId: string, after: number | undefined, onStalled: () => void): Promise<ReadableStream<Uint8Array>>;
  /** The view of a run that is followed at the moment. */
  viewOf(runId: string): RunView | undefined;
  /** Something was added to a run's log by other means than its engine. */
  refresh(runId: string): Promise<void>;
  /** The run is gone: whoever watches it is told when they ask again. */
  drop(runId: string): void;
  close(): void;
}

export interface HubOptions {
  readonly store: StoreLayout;
  readonly redact: Redact;
  readonly timing?: Partial<ChannelTiming> | undefined;
  onBug(id: string, error: unknown): void;
}

/** A reader that lost its connection is back within seconds. */
const LINGER_MS = 20_000;

export function createEventHub({ store, redact, timing, onBug }: HubOptions): EventHub {
  const channels = new Map<string, Promise<RunChannel>>();

  const channelOf = (runId: string): Promise<RunChannel> => {
    const known = channels.get(runId);
    if (known) return known;
    const opened = openChannel(runId);
    channels.set(runId, opened);
    // One that cannot be opened now may be opened later.
    opened.catch(() => channels.delete(runId));
    return opened;
  };

  const openChannel = async (runId: string): Promise<RunChannel> => {
    const { log } = store.run(await resolveRun(store, runId));
    const channel = createRunChannel({
      runId,
      openTail: () => createLogTail(log),
      redact,
      timing,
      onBug,
      onIdle: () => setTimeout(() => forget(runId, channel), LINGER_MS).unref(),
    });
    await channel.sync();
    return channel;
  };

  const forget = (runId: string, channel: RunChannel): void => {
    if (!channel.isIdle) return;
    channel.close();
    settled.delete(runId);
    channels.delete(runId);
  };

  /** Channels that are open, for those who cannot wait. */
  const settled = new Map<string, RunChannel>();
  const settledOf = async (runId: string): Promise<RunChannel> => {
    const channel = await channelOf(runId);
    settled.set(runId, channel);
    return channel;
  };

  return {
    async attach({ record: { runId }, engine }) {
      const channel = await settledOf(runId);
      return channel.attach((listener) => engine.subscribe(listener));
    },
    async open(runId, after, onStalled) {
      return (await settledOf(runId)).open(after, onStalled);
    },
    viewOf: (runId) => settled.get(runId)?.view,
    async refresh(runId) {
      await (await channels.get(runId))?.sync();
    },
    drop(runId) {
      settled.get(runId)?.close();
      settled.delete(runId);
      channels.delete(runId);
    },
    close() {
      for (const channel of settled.values()) channel.close();
      settled.clear();
      channels.clear();
    },
  };
}
