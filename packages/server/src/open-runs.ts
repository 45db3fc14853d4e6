/**
 * The runs this process works on: opened when a command comes, one engine a run however many clients steer it, let go soon
 * after it rests, so that the command line can have it. What goes on goes on without anybody watching.
 */
import { setTimeout as wait } from 'node:timers/promises';
import {
  CrewError,
  type OpenRun,
  type ReopenOptions,
  type Runtime,
  type StartRequest,
  type StopPoint,
} from '@crewagent/core';
import type { RunStatus } from '@crewagent/protocol/api/runs';
import type { EventHub } from './event-hub.ts';

export interface OpenRuns {
  /** Makes a run and sets it going with `first`, if there is one. */
  create(request: StartRequest, first: RunCommand | undefined): Promise<RunStatus>;
  /** Gives a command to a run and answers at once; what comes of it is told by events. */
  command(runId: string, give: RunCommand, options?: ReopenOptions): Promise<RunStatus>;
  /** Does something with an open run, and answers when it is done. */
  use<T>(runId: string, work: (run: OpenRun) => Promise<T>): Promise<T>;
  /** Does something that needs the run closed. Refused while it goes on. */
  useClosed<T>(runId: string, work: () => Promise<T>): Promise<T>;
  /** Stops a run that goes on here; undefined when it is not open here. */
  stop(runId: string): RunStatus | undefined;
  /** The run, if it is open here; to be looked at only. */
  heldRun(runId: string): OpenRun | undefined;
  /** Lets go of what rests, of one project. */
  closeResting(projectId: string): Promise<void>;
  /** Stops everything, and lets go of it. */
  close(): Promise<void>;
}

/** Refused at once where it does not fit the moment. */
export type RunCommand = (run: OpenRun) => Promise<StopPoint>;

export interface OpenRunsOptions {
  readonly runtime: Runtime;
  readonly hub: EventHub;
  /** How long a run that rests is kept. */
  readonly keepMs?: number;
  /** Told when a run may have come to another phase. */
  onPhase(): void;
  onBug(id: string, error: unknown): void;
}

const KEEP_MS = 2_000;

interface Slot {
  run: OpenRun | undefined;
  detach: (() => Promise<void>) | undefined;
  /** Whoever opens, closes or commands waits for the one before. */
  last: Promise<unknown>;
  waiting: number;
  timer: NodeJS.Timeout | undefined;
}

export function createOpenRuns(options: OpenRunsOptions): OpenRuns {
  const { runtime, hub, keepMs = KEEP_MS, onPhase, onBug } = options;
  const slots = new Map<string, Slot>();
  let isClosing = false;

  const slotOf = (runId: string): Slot => {
    const slot = slots.get(runId) ?? {
      run: undefined,
      detach: undefined,
      last: Promise.resolve(),
      waiting: 0,
      timer: undefined,
    };
    slots.set(runId, slot);
    return slot;
  };
  const inTurn = <T>(runId: string, work: (slot: Slot) => Promise<T>): Promise<T> => {
    if (isClosing) throw new CrewError('SERVER_STOPPING', 'The server is about to stop; try again later.');
    return queue(runId, work);
  };
  const queue = <T>(runId: string, work: (slot: Slot) => Promise<T>): Promise<T> => {
    const slot = slotOf(runId);
    clearTimeout(slot.timer);
    slot.waiting++;
    const result = slot.last.then(() => settle(slot)).then(() => work(slot));
    slot.last = result
      .catch(() => undefined)
      .then(() => {
        slot.waiting--;
        if (slot.waiting > 0) return;
        if (!slot.run) slots.delete(runId);
        else if (!slot.run.engine.isRunning) closeLater(runId, slot);
      });
    return result;
  };
  const closeLater = (runId: string, slot: Slot): void => {
    clearTimeout(slot.timer);
    if (isClosing) return;
    slot.timer = setTimeout(() => {
      void queue(runId, closeIfResting).catch((error: unknown) => onBug('closing a run', error));
    }, keepMs).unref();
  };
  const closeIfResting = async (slot: Slot): Promise<void> => {
    if (slot.run && !slot.run.engine.isRunning) await closeSlot(slot);
  };
  const closeSlot = async (slot: Slot): Promise<void> => {
    const { run, detach } = slot;
    slot.run = undefined;
    slot.detach = undefined;
    try {
      await run?.close();
    } finally {
      await detach?.();
    }
  };
  const hold = async (slot: Slot, run: OpenRun): Promise<OpenRun> => {
    try {
      slot.detach = await hub.attach(run);
    } catch (error) {
      await run.close();
      throw error;
    }
    slot.run = run;
    run.engine.subscribe(({ type }) => {
      if (type === 'phase.changed') onPhase();
    });
    return run;
  };
  const ensureOpen = async (slot: Slot, runId: string, reopen: ReopenOptions = {}): Promise<OpenRun> => {
    // Another model drives from the next opening on.
    if (slot.run && reopen.model?.model !== undefined && !slot.run.engine.isRunning) await closeSlot(slot);
    return slot.run ?? hold(slot, await runtime.openRun(runId, reopen));
  };
  /** What a command sets going ends by itself, here or when the server is stopped. */
  const drive = (runId: string, run: OpenRun, give: RunCommand): RunStatus => {
    const pump = give(run);
    void pump
      .catch((error: unknown) => onBug('a run', error))
      .finally(() => {
        onPhase();
        const slot = slots.get(runId);
        if (slot?.run === run) closeLater(runId, slot);
      });
    return statusOf(run);
  };

  return {
    async create(request, first) {
      if (isClosing) throw new CrewError('SERVER_STOPPING', 'The server is about to stop; try again later.');
      const run = await runtime.createRun(request);
      const { runId } = run.record;
      // Also when the server was told to stop meanwhile: whatever is held is let go of then.
      return queue(runId, async (slot) => {
        await hold(slot, run);
        onPhase();
        return first && !isClosing ? drive(runId, run, first) : statusOf(run);
      });
    },
    command: (runId, give, reopen) =>
      inTurn(runId, async (slot) => drive(runId, await ensureOpen(slot, runId, reopen), give)),
    use: (runId, work) => inTurn(runId, async (slot) => work(await ensureOpen(slot, runId))),
    useClosed: (runId, work) =>
      inTurn(runId, async (slot) => {
        if (slot.run?.engine.isRunning)
          throw new CrewError('RUN_NOT_READY', 'The run cannot do that now: it is running; stop it first.');
        await closeSlot(slot);
        const result = await work();
        await hub.refresh(runId).catch((error: unknown) => onBug('refresh', error));
        onPhase();
        return result;
      }),
    stop(runId) {
      const run = slots.get(runId)?.run;
      return run && drive(runId, run, ({ engine }) => engine.stop());
    },
    heldRun: (runId) => slots.get(runId)?.run,
    async closeResting(projectId) {
      const ours = [...slots].filter(([, { run }]) => run?.record.projectId === projectId);
      await Promise.all(ours.map(([runId]) => queue(runId, closeIfResting)));
    },
    async close() {
      isClosing = true;
      // What was being made when it began comes to rest, too.
      while (slots.size > 0) {
        const all = [...slots];
        for (const [, { run, timer }] of all) {
          clearTimeout(timer);
          void run?.engine.stop();
        }
        await Promise.all(all.map(([runId]) => queue(runId, closeSlot)));
        await Promise.all(all.map(([, { last }]) => last));
      }
    },
  };
}

/**
 * Whoever watches a run hears that it rests a moment before its engine has put everything away, and may answer at once.
 * The same holds for the moment before it says that it goes on.
 */
async function settle({ run }: Slot): Promise<void> {
  const end = performance.now() + SETTLE_MS;
  while (run?.engine.isRunning && run.engine.memory.phase !== 'Running' && performance.now() < end)
    await wait(1);
}

const SETTLE_MS = 5_000;

/** Where the run is, as a command leaves it. */
function statusOf({ record: { runId }, engine }: OpenRun): RunStatus {
  const { phase, reason } = engine.memory;
  if (engine.isRunning) return { runId, phase: 'Running' };
  return { runId, phase, ...(reason ? { reason } : {}) };
}
