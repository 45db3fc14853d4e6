/** Decides when the store is read again: soon after a notice, and regularly for changes that cause none. */
export interface PollSchedule {
  /** Polls regularly and on notices, as long as somebody wants it. */
  start(): void;
  /** Polls now, because something has just changed. */
  pollSoon(): void;
  stop(): void;
}

export interface PollOptions {
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

export function createPollSchedule({ poll, subscribe, isWanted, everyMs, onBug }: PollOptions): PollSchedule {
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
  return { start: () => pollIn(everyMs()), pollSoon: () => pollIn(0), stop };
}
