/**
 * Values that this process holds open, by id. Operations on one id run one after the other. An idle value is released soon
 * after, so that the command line can open it. Used for runs and conversations alike.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { CrewError } from '@crewagent/core';

/** A value that is open in this process. */
export interface Held {
  /** A turn is in progress. */
  readonly isRunning: boolean;
  /** Watchers have seen that it is running. */
  readonly reportedRunning: boolean;
  /** Resolves when watchers next see that it is running. */
  nextReport(): Promise<void>;
  /** Resolves when what is known of it is up to date. */
  refresh(): Promise<void>;
  stop(): Promise<unknown>;
  close(): Promise<void>;
}

/** The slot of one id; empty while nothing is open. */
export interface Holding<Value> {
  value: Value | undefined;
}

export interface HolderOptions {
  /** How long an idle value stays open. */
  readonly keepMs?: number | undefined;
  /** Called when the phase of a value may have changed. */
  onPhase(): void;
  onBug(id: string, error: unknown): void;
}

const KEEP_MS = 2_000;

interface Slot<Value> extends Holding<Value> {
  last: Promise<unknown>;
  waiting: number;
  timer: NodeJS.Timeout | undefined;
  /** Turns that have not ended. */
  readonly turns: Set<Promise<void>>;
}

export function createHolder<Value extends Held>({ keepMs = KEEP_MS, onPhase, onBug }: HolderOptions) {
  const slots = new Map<string, Slot<Value>>();
  let isClosing = false;

  const slotOf = (id: string): Slot<Value> => {
    const slot = slots.get(id) ?? createSlot();
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
      void queue(id, releaseIfIdle).catch((error: unknown) => onBug('release', error));
    }, keepMs).unref();
  };
  const releaseIfIdle = async (slot: Slot<Value>): Promise<void> => {
    if (slot.value && !slot.value.isRunning) await release(slot);
  };
  /** Closes the value, even while it is running. Call it inside `inTurn`. */
  const release = async (holding: Holding<Value>): Promise<void> => {
    const { value } = holding;
    holding.value = undefined;
    await value?.close();
  };
  /** Throws when the server is stopping. */
  const requireOpen = (): void => {
    if (isClosing) throw new CrewError('SERVER_STOPPING', 'The server is stopping. Try again later.');
  };

  return {
    get isClosing() {
      return isClosing;
    },
    get: (id: string): Value | undefined => slots.get(id)?.value,
    /** The value is open, or an operation on it is queued. */
    isInUse: (id: string): boolean => slots.has(id),
    requireOpen,
    /** Queues an operation; throws when the server is stopping. */
    async inTurn<T>(id: string, work: (holding: Holding<Value>) => Promise<T>): Promise<T> {
      requireOpen();
      return queue(id, work);
    },
    /** Queues an operation on a value that was just created; also while the server is stopping, since `close` releases it then. */
    register: <T>(id: string, work: (holding: Holding<Value>) => Promise<T>): Promise<T> => queue(id, work),
    /** Follows a turn to its end, then schedules the release. */
    track(id: string, value: Value, turn: Promise<unknown>): void {
      const { turns } = slotOf(id);
      const followed = turn
        .then(() => undefined)
        .catch((error: unknown) => onBug('turn', error))
        .finally(() => {
          turns.delete(followed);
          onPhase();
          const slot = slots.get(id);
          if (slot?.value === value) releaseLater(id, slot);
        });
      turns.add(followed);
    },
    release,
    /** Releases idle values. */
    async closeIdle(fits: (value: Value) => boolean): Promise<void> {
      const ours = [...slots].filter(([, { value }]) => value && fits(value));
      await Promise.all(ours.map(([id]) => queue(id, releaseIfIdle)));
    },
    /** Stops and releases everything. */
    async close(): Promise<void> {
      isClosing = true;
      // Also releases values that were registered meanwhile.
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

function createSlot<Value>(): Slot<Value> {
  return { value: undefined, last: Promise.resolve(), waiting: 0, timer: undefined, turns: new Set() };
}

const SETTLE_MS = 5_000;

/**
 * Watchers learn that a value is idle a moment before its turn has settled, and may send a command at once. The same holds for
 * the moment before a new turn is reported. They may learn it from its log, before this process knows.
 */
async function settle({ value, turns }: Slot<Held>): Promise<void> {
  if (!value?.isRunning) return;
  await value.refresh();
  if (!value.isRunning || value.reportedRunning) return;
  let hasTime = true;
  const timeout = wait(SETTLE_MS, undefined, { ref: false }).then(() => {
    hasTime = false;
  });
  while (hasTime && value.isRunning && !value.reportedRunning)
    await Promise.race([...turns, value.nextReport(), timeout]);
}
