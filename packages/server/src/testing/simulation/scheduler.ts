/**
 * The order in which everything happens. Simulated processes never wait for the real disk, network or clock: each wait is an operation
 * here, and the seed picks the next one. Operations of one lane keep their order, as the bytes of a connection do.
 */
import { createHash } from 'node:crypto';
import type { Random } from './random.ts';

export interface Operation {
  /** The process that waits. If it dies, the operation never happens. */
  readonly owner: object;
  readonly label: string;
  readonly lane?: string | undefined;
  run(): void;
}

interface Timer {
  readonly id: number;
  readonly owner: object;
  readonly atMs: number;
  run(): void;
}

/** How often a timer overtakes operations that are ready, as on a slow disk. */
const SLOW_DISK = 0.02;
/** No timer overtakes the same operations for longer: every operation ends. */
const MAX_DELAY_MS = 5_000;

export type Scheduler = ReturnType<typeof createScheduler>;

export function createScheduler(startMs: number) {
  const trace = createHash('sha256');
  const lines: string[] = [];
  let random: Random | undefined;
  let operations: Operation[] = [];
  let timers: Timer[] = [];
  let lastId = 0;
  let nowMs = startMs;
  let delayedMs = 0;
  let steps = 0;

  const note = (line: string): void => {
    steps++;
    trace.update(`${line}\n`);
    if (lines.push(line) > KEPT_LINES) lines.splice(0, KEPT_LINES / 2);
  };
  const nextTimer = (): Timer | undefined => {
    let next: Timer | undefined;
    for (const timer of timers)
      if (!next || timer.atMs < next.atMs || (timer.atMs === next.atMs && timer.id < next.id)) next = timer;
    return next;
  };
  const fire = (timer: Timer): void => {
    timers.splice(timers.indexOf(timer), 1);
    nowMs = Math.max(nowMs, timer.atMs);
    note(`timer ${timer.id} at ${nowMs - startMs}`);
    timer.run();
  };
  const pick = (from: Random): Operation | undefined => {
    const lanes = new Set<string>();
    const ready = operations.filter(({ lane }) => {
      if (lane === undefined) return true;
      const isFirst = !lanes.has(lane);
      lanes.add(lane);
      return isFirst;
    });
    return from.pick(ready);
  };

  return {
    now: (): number => nowMs,
    add: (operation: Operation): void => void operations.push(operation),
    addTimer(owner: object, delayMs: number, run: () => void): number {
      timers.push({ id: ++lastId, owner, atMs: nowMs + Math.max(1, delayMs || 0), run });
      return lastId;
    },
    removeTimer(id: number): void {
      timers = timers.filter((timer) => timer.id !== id);
    },
    /** Nothing that this process waits for happens any more. */
    drop(owner: object): void {
      operations = operations.filter((operation) => operation.owner !== owner);
      timers = timers.filter((timer) => timer.owner !== owner);
    },
    /** The random numbers of the next operations. */
    useRandom(next: Random): void {
      random = next;
    },
    /** One operation, or the next timer if it is due before `untilMs`. False if there is neither. */
    async step(untilMs = Number.POSITIVE_INFINITY): Promise<boolean> {
      if (!random) throw new Error('a seed is needed');
      const timer = nextTimer();
      const mayWait = timer !== undefined && timer.atMs <= untilMs;
      const operation = pick(random);
      const isSlow = random.chance(SLOW_DISK) && delayedMs < MAX_DELAY_MS;
      if (operation && !(mayWait && isSlow)) {
        operations.splice(operations.indexOf(operation), 1);
        delayedMs = 0;
        note(operation.label);
        operation.run();
      } else if (timer && mayWait) {
        if (operation) delayedMs += timer.atMs - nowMs;
        fire(timer);
      } else return false;
      await settle();
      return true;
    },
    note,
    /** Lets time pass without an event. */
    skipTo(ms: number): void {
      nowMs = Math.max(nowMs, ms);
    },
    steps: (): number => steps,
    /** The last steps, for a report. */
    lastLines: (count: number): readonly string[] => lines.slice(-count),
    /** Equal for two executions with the same seed. */
    hash: (): string => trace.copy().digest('hex'),
  };
}

const KEPT_LINES = 2_000;

/** Lets all promises that can settle do so: nothing in a simulated process waits for anything but the scheduler. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
