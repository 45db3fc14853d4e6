/**
 * The runs this process works on: opened when a command comes, one engine a run however many clients steer it, let go soon
 * after it rests, so that the command line can have it. What goes on goes on without anybody watching.
 */
import {
  CrewError,
  type OpenRun,
  type ReopenOptions,
  type Runtime,
  type StartRequest,
  type StopPoint,
} from '@crewagent/core';
import type { RunStatus } from '@crewagent/protocol/api/runs';
import type { RunRecord } from '@crewagent/protocol/run';
import type { RunView } from '@crewagent/protocol/run-view';
import type { EventHub } from './event-hub.ts';
import { createHolder, type Held, type HolderOptions, type Place } from './holder.ts';

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
  stop(runId: string): Promise<RunStatus> | undefined;
  /** The run, if it is open here; to be looked at only. */
  heldRun(runId: string): OpenRun | undefined;
  /** Lets go of what rests, of one project or one conversation. */
  closeResting(fits: (record: RunRecord) => boolean): Promise<void>;
  /** Stops everything, and lets go of it. */
  close(): Promise<void>;
}

/** Refused at once where it does not fit the moment. */
export type RunCommand = (run: OpenRun) => Promise<StopPoint>;

export interface OpenRunsOptions extends HolderOptions {
  readonly runtime: Runtime;
  readonly hub: EventHub<RunView>;
}

interface HeldRun extends Held {
  readonly run: OpenRun;
}

export function createOpenRuns(options: OpenRunsOptions): OpenRuns {
  const { runtime, hub, onPhase, onBug } = options;
  const holder = createHolder<HeldRun>(options);

  const hold = async (place: Place<HeldRun>, run: OpenRun): Promise<HeldRun> => {
    const { record, engine } = run;
    let detach: () => Promise<void>;
    try {
      detach = await hub.attach(record.runId, (listener) => engine.subscribe(listener));
    } catch (error) {
      await run.close();
      throw error;
    }
    engine.subscribe(({ type }) => {
      if (type === 'phase.changed') onPhase();
    });
    const held = toHeld(run, detach);
    place.thing = held;
    return held;
  };
  const ensureOpen = async (
    place: Place<HeldRun>,
    runId: string,
    reopen: ReopenOptions = {},
  ): Promise<HeldRun> => {
    // Another model drives from the next opening on.
    if (reopen.model?.model !== undefined && place.thing?.isRunning === false) await holder.letGo(place);
    return place.thing ?? hold(place, await runtime.openRun(runId, reopen));
  };
  /** Answers when what the person said cannot be lost any more. */
  const drive = async (held: HeldRun, give: RunCommand): Promise<RunStatus> => {
    const { run } = held;
    holder.goesOn(run.record.runId, held, give(run));
    await run.engine.saveInput();
    return statusOf(run);
  };

  return {
    async create(request, first) {
      holder.requireOpen();
      const run = await runtime.createRun(request);
      return holder.admit(run.record.runId, async (place) => {
        const held = await hold(place, run);
        onPhase();
        return first && !holder.isClosing ? drive(held, first) : statusOf(run);
      });
    },
    command: (runId, give, reopen) =>
      holder.inTurn(runId, async (place) => drive(await ensureOpen(place, runId, reopen), give)),
    use: (runId, work) => holder.inTurn(runId, async (place) => work((await ensureOpen(place, runId)).run)),
    useClosed: (runId, work) =>
      holder.inTurn(runId, async (place) => {
        if (place.thing?.isRunning)
          throw new CrewError('RUN_NOT_READY', 'The run cannot do that now: it is running; stop it first.');
        await holder.letGo(place);
        const result = await work();
        await hub.refresh(runId).catch((error: unknown) => onBug('refresh', error));
        onPhase();
        return result;
      }),
    stop(runId) {
      const held = holder.get(runId);
      return held && drive(held, ({ engine }) => engine.stop());
    },
    heldRun: (runId) => holder.get(runId)?.run,
    closeResting: (fits) => holder.closeResting(({ run }) => fits(run.record)),
    close: () => holder.close(),
  };
}

function toHeld(run: OpenRun, detach: () => Promise<void>): HeldRun {
  const { engine } = run;
  return {
    run,
    get isRunning() {
      return engine.isRunning;
    },
    get saysItRuns() {
      return engine.memory.phase === 'Running';
    },
    stop: () => engine.stop(),
    async close() {
      try {
        await run.close();
      } finally {
        await detach();
      }
    },
  };
}

/** Where the run is, as a command leaves it. */
function statusOf({ record: { runId }, engine }: OpenRun): RunStatus {
  const { phase, reason } = engine.memory;
  if (engine.isRunning) return { runId, phase: 'Running' };
  return { runId, phase, ...(reason ? { reason } : {}) };
}
