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
  readonly saysItRuns: boolean;
  stop(): Promise<unknown>;
  close(): Promise<void>;
}

/** Where one thing is held, or will be. */
export interface Place<Thing> {
  thing: Thing | undefined;
}

export interface Holder<Thing extends Held> {
  readonly isClosing: boolean;
  /** Refuses when the server is about to stop. */
  requireOpen(): void;
  get(id: string): Thing | undefined;
  /** Somebody works with it, or is about to. */
  isTaken(id: string): boolean;
  /** Does something with it in turn; nothing new when the server is about to stop. */
  inTurn<T>(id: string, work: (place: Place<Thing>) => Promise<T>): Promise<T>;
  /** The same for what was made a moment ago: also when the server was told to stop meanwhile, for it is let go of then. */
  admit<T>(id: string, work: (place: Place<Thing>) => Promise<T>): Promise<T>;
  /** What was set going ends by itself, here or when the server is stopped. */
  goesOn(id: string, thing: Thing, pump: Promise<unknown>): void;
  /** Lets go of it, whatever goes on; in turn. */
  letGo(place: Place<Thing>): Promise<void>;
  /** Lets go of what rests. */
  closeResting(fits: (thing: Thing) => boolean): Promise<void>;
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

interface Slot<Thing> extends Place<Thing> {
  last: Promise<unknown>;
  waiting: number;
  timer: NodeJS.Timeout | undefined;
}

export function createHolder<Thing extends Held>(options: HolderOptions): Holder<Thing> {
  const { keepMs = KEEP_MS, onPhase, onBug } = options;
  const slots = new Map<string, Slot<Thing>>();
  let isClosing = false;

  const slotOf = (id: string): Slot<Thing> => {
    const slot = slots.get(id) ?? {
      thing: undefined,
      last: Promise.resolve(),
      waiting: 0,
      timer: undefined,
    };
    slots.set(id, slot);
    return slot;
  };
  const queue = <T>(id: string, work: (slot: Slot<Thing>) => Promise<T>): Promise<T> => {
    const slot = slotOf(id);
    clearTimeout(slot.timer);
    slot.waiting++;
    const result = slot.last.then(() => settle(slot)).then(() => work(slot));
    slot.last = result
      .catch(() => undefined)
      .then(() => {
        slot.waiting--;
        if (slot.waiting > 0) return;
        if (!slot.thing) slots.delete(id);
        else if (!slot.thing.isRunning) letGoLater(id, slot);
      });
    return result;
  };
  const letGoLater = (id: string, slot: Slot<Thing>): void => {
    clearTimeout(slot.timer);
    if (isClosing) return;
    slot.timer = setTimeout(() => {
      void queue(id, letGoIfResting).catch((error: unknown) => onBug('letting go', error));
    }, keepMs).unref();
  };
  const letGoIfResting = async (slot: Slot<Thing>): Promise<void> => {
    if (slot.thing && !slot.thing.isRunning) await letGo(slot);
  };
  const letGo = async (place: Place<Thing>): Promise<void> => {
    const { thing } = place;
    place.thing = undefined;
    await thing?.close();
  };

  const requireOpen = (): void => {
    if (isClosing) throw new CrewError('SERVER_STOPPING', 'The server is about to stop; try again later.');
  };

  return {
    get isClosing() {
      return isClosing;
    },
    get: (id) => slots.get(id)?.thing,
    isTaken: (id) => slots.has(id),
    requireOpen,
    async inTurn(id, work) {
      requireOpen();
      return queue(id, work);
    },
    admit: queue,
    goesOn(id, thing, pump) {
      void pump
        .catch((error: unknown) => onBug('a turn', error))
        .finally(() => {
          onPhase();
          const slot = slots.get(id);
          if (slot?.thing === thing) letGoLater(id, slot);
        });
    },
    letGo,
    async closeResting(fits) {
      const ours = [...slots].filter(([, { thing }]) => thing && fits(thing));
      await Promise.all(ours.map(([id]) => queue(id, letGoIfResting)));
    },
    async close() {
      isClosing = true;
      // What was being made when it began comes to rest, too.
      while (slots.size > 0) {
        const all = [...slots];
        for (const [, { thing, timer }] of all) {
          clearTimeout(timer);
          void thing?.stop();
        }
        await Promise.all(all.map(([id]) => queue(id, letGo)));
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
async function settle({ thing }: Place<Held>): Promise<void> {
  const end = performance.now() + SETTLE_MS;
  while (thing?.isRunning && !thing.saysItRuns && performance.now() < end) await wait(1);
}
