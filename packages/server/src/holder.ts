/**
 * What this process holds open, each by its id: whoever opens, closes or commands it waits for the one before, and what rests
 * is let go soon after, so that the command line can have it. The same for runs and for conversations.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { CrewError } from '@crewagent/core';

/** Something that is open here. */
export interface Held {
  /** A turn is under way. */
  readonly isRunning: boolean;
  /** Whoever watches was told so. */
  readonly reportedRunning: boolean;
  stop(): Promise<unknown>;
  close(): Promise<void>;
}

/** Where one thing is held, or will be. */
export interface Holding<Value> {
  value: Value | undefined;
}

export interface Holder<Value extends Held> {
  readonly isClosing: boolean;
  /** Refuses when the server is about to stop. */
  requireOpen(): void;
  get(id: string): Value | undefined;
  /** Somebody works with it, or is about to. */
  isAccepted(id: string): boolean;
  /** Does something with it in turn; nothing new when the server is about to stop. */
  inTurn<T>(id: string, work: (holding: Holding<Value>) => Promise<T>): Promise<T>;
  /** The same for what was made a moment ago: also when the server was told to stop meanwhile, for it is let go of then. */
  admit<T>(id: string, work: (holding: Holding<Value>) => Promise<T>): Promise<T>;
  /** What was set going ends by itself, here or when the server is stopped. */
  track(id: string, value: Value, runUntilIdle: Promise<unknown>): void;
  /** Lets go of it, whatever goes on; in turn. */
  release(holding: Holding<Value>): Promise<void>;
  /** Lets go of what rests. */
  closeIdle(fits: (value: Value) => boolean): Promise<void>;
  /** Stops everything, and lets go of it. */
  close(): Promise<void>;
}

export interface HolderOptions {
  /** How long what rests is kept. */
  readonly keepMs?: number | undefined;
  /** Told when something may have come to another phase. */
  onPhase(): void;
  onBug(id: string, error: unknown): void;
}

const KEEP_MS = 2_000;

interface Slot<Value> extends Holding<Value> {
  last: Promise<unknown>;
  waiting: number;
  timer: NodeJS.Timeout | undefined;
}

export function createHolder<Value extends Held>(options: HolderOptions): Holder<Value> {
  const { keepMs = KEEP_MS, onPhase, onBug } = options;
  const slots = new Map<string, Slot<Value>>();
  let isClosing = false;

  const slotOf = (id: string): Slot<Value> => {
    const slot = slots.get(id) ?? {
      value: undefined,
      last: Promise.resolve(),
      waiting: 0,
      timer: undefined,
    };
    slots.set(id, slot);
    return slot;
  };
  const queue = <T>(id: string, work: (slot: Slot<Value>) => Promise<T>): Promise<T> => {
    const slot = slotOf(id);
    clearTimeout(slot.timer);
    slot.waiting++;
    const result = slot.last.then(() => settle(slot)).then(() => work(slot));
    slot.last = result
      .catch(() => undefined)
      .then(() => {
        slot.waiting--;
        if (slot.waiting > 0) return;
        if (!slot.value) slots.delete(id);
        else if (!slot.value.isRunning) releaseLater(id, slot);
      });
    return result;
  };
  const releaseLater = (id: string, slot: Slot<Value>): void => {
    clearTimeout(slot.timer);
    if (isClosing) return;
    slot.timer = setTimeout(() => {
      void queue(id, releaseIfIdle).catch((error: unknown) => onBug('letting go', error));
    }, keepMs).unref();
  };
  const releaseIfIdle = async (slot: Slot<Value>): Promise<void> => {
    if (slot.value && !slot.value.isRunning) await release(slot);
  };
  const release = async (holding: Holding<Value>): Promise<void> => {
    const { value } = holding;
    holding.value = undefined;
    await value?.close();
  };

  const requireOpen = (): void => {
    if (isClosing) throw new CrewError('SERVER_STOPPING', 'The server is about to stop; try again later.');
  };

  return {
    get isClosing() {
      return isClosing;
    },
    get: (id) => slots.get(id)?.value,
    isAccepted: (id) => slots.has(id),
    requireOpen,
    async inTurn(id, work) {
      requireOpen();
      return queue(id, work);
    },
    admit: queue,
    track(id, value, runUntilIdle) {
      void runUntilIdle
        .catch((error: unknown) => onBug('a turn', error))
        .finally(() => {
          onPhase();
          const slot = slots.get(id);
          if (slot?.value === value) releaseLater(id, slot);
        });
    },
    release,
    async closeIdle(fits) {
      const ours = [...slots].filter(([, { value }]) => value && fits(value));
      await Promise.all(ours.map(([id]) => queue(id, releaseIfIdle)));
    },
    async close() {
      isClosing = true;
      // What was being made when it began comes to rest, too.
      while (slots.size > 0) {
        const all = [...slots];
        for (const [, { value, timer }] of all) {
          clearTimeout(timer);
          void value?.stop();
        }
        await Promise.all(all.map(([id]) => queue(id, release)));
        await Promise.all(all.map(([, { last }]) => last));
      }
    },
  };
}

const SETTLE_MS = 5_000;

/**
 * Whoever watches hears that it rests a moment before everything is put away, and may answer at once. The same holds for the
 * moment before it says that it goes on.
 */
async function settle({ value }: Holding<Held>): Promise<void> {
  const end = performance.now() + SETTLE_MS;
  while (value?.isRunning && !value.reportedRunning && performance.now() < end) await wait(1);
}
