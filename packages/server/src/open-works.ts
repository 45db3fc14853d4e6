/**
 * The conversations and runs this process works on: opened when a command comes, once however many clients steer them, let go
 * soon after they rest, so that the command line can have them. Commands are answered when they are understood; what comes
 * of them is told by events. A run that a conversation is in is driven by the conversation.
 */
import {
  CrewError,
  type OpenRun,
  type OpenWork,
  type Runtime,
  type Session,
  type SessionStop,
  type TakeOptions,
  toOpenWork,
  type WorkAddress,
} from '@crewagent/core';
import type { WorkStatus } from '@crewagent/protocol/api/works';
import type { JournalEntry } from '@crewagent/protocol/journal';
import { isRun, type WorkRecord } from '@crewagent/protocol/work';
import { attachWork, type WorkHub } from './attach-work.ts';
import { createHolder, type Held, type HolderOptions, type Holding } from './holder.ts';

export interface OpenWorks {
  /** Holds a Work that was made a moment ago, and says `first` in it; one in which that cannot be said does not stay. */
  admit<Work extends OpenWork>(
    make: () => Promise<Work>,
    first: ((work: Work, options: TakeOptions) => Promise<SessionStop>) | undefined,
  ): Promise<WorkStatus>;
  /** Gives a command to a Work, or to the conversation that is in it; with another model where one is named. */
  command(workId: string, give: WorkCommand, options?: CommandOptions): Promise<WorkStatus>;
  /** The same for what only a conversation can do. */
  talk(workId: string, give: ThreadCommand, options?: CommandOptions): Promise<WorkStatus>;
  /** Does something with a run that rests, and answers when it is done. */
  useRun<T>(runId: string, use: (run: OpenRun) => Promise<T>): Promise<T>;
  /**
   * Does something that needs the Work closed. Refused while a turn is under way, unless what is open can answer: it may have
   * been opened while this waited for its turn.
   */
  useClosed<T>(
    workId: string,
    use: (address: WorkAddress) => Promise<T>,
    askOpen?: (work: OpenWork) => T | undefined,
  ): Promise<T>;
  /** Ends the turn that is under way here; undefined when the Work is not open here. */
  stop(workId: string): Promise<WorkStatus | undefined>;
  /** Whether it is open here, by itself or as the run that a conversation is in. */
  isHeld(workId: string): boolean;
  /** What a Work that is open here changed; undefined for what is not open. */
  changesOf(workId: string): readonly JournalEntry[] | undefined;
  /** Lets go of what rests. */
  closeIdle(fits: (record: WorkRecord) => boolean): Promise<void>;
  /** Stops everything, and lets go of it. */
  close(): Promise<void>;
}

/** Tells `onAccepted`, where it begins a turn; refused at once where it does not fit the moment. */
export type WorkCommand = (work: OpenWork, options: TakeOptions) => Promise<SessionStop>;
export type ThreadCommand = (session: Session, options: TakeOptions) => Promise<SessionStop>;

interface CommandOptions {
  /** Also opens a Work whose own model cannot be had any more. */
  readonly model?: string | undefined;
}

export interface OpenWorksOptions extends HolderOptions, WorkHub {
  readonly runtime: Runtime;
}

interface HeldWork extends Held {
  readonly work: OpenWork;
}

/** Who drives a Work, whose turn it is. */
interface Driver {
  readonly holding: Holding<HeldWork>;
  readonly address: WorkAddress;
}

interface FoundWork {
  readonly address: WorkAddress;
  /** The conversation that may drive a run; undefined for a run that goes on by itself. */
  readonly parent: WorkAddress | undefined;
}

export function createOpenWorks(options: OpenWorksOptions): OpenWorks {
  const { runtime, hub, onPhase, onBug } = options;
  const { store } = runtime;
  const holder = createHolder<HeldWork>(options);
  const held = new Set<OpenWork>();
  /** The last pending lookup of each Work. */
  const lookups = new Map<string, Promise<void>>();

  const hold = async (holding: Holding<HeldWork>, work: OpenWork): Promise<OpenWork> => {
    let detach: () => Promise<void>;
    try {
      detach = await attachWork(work, options);
    } catch (error) {
      await work.close();
      throw error;
    }
    work.subscribe(({ type }) => {
      if (type === 'phase.changed') onPhase();
    });
    held.add(work);
    holding.value = toHeld(work, async () => {
      held.delete(work);
      await detach();
    });
    return work;
  };
  const releaseRuns = (workId: string): Promise<void> =>
    holder.closeIdle(({ work: { record } }) => isRun(record) && record.parentId === workId);
  const ensureOpen = async (
    { holding, address: { workId, isRun: isRunWork } }: Driver,
    model: string | undefined,
  ): Promise<OpenWork> => {
    if (!isRunWork) await releaseRuns(workId);
    // Another model drives a run from its next opening on.
    else if (model !== undefined && holding.value?.isRunning === false) await holder.release(holding);
    if (holding.value) return holding.value.work;
    return hold(
      holding,
      isRunWork
        ? toOpenWork(await runtime.openRun(workId, { model: { model } }))
        : await openSession(runtime, workId, model),
    );
  };
  const drive = (holding: Holding<HeldWork>, work: OpenWork, give: WorkCommand): Promise<SessionStop> =>
    new Promise((resolve, reject) => {
      let isAccepted = false;
      const onAccepted = (taken: SessionStop): void => {
        isAccepted = true;
        onPhase();
        resolve(taken);
      };
      const runUntilIdle = give(work, { onAccepted }).then(onAccepted, (error: unknown) => {
        // Whoever asked has had their answer.
        if (isAccepted) throw error;
        reject(error);
      });
      if (holding.value) holder.track(work.record.workId, holding.value, runUntilIdle);
    });

  /** A lookup reads the disk. Lookups of one Work run one after the other, so that its commands keep their order. */
  const lookUp = (workId: string): Promise<FoundWork> => {
    const found = (lookups.get(workId) ?? Promise.resolve()).then(async () => {
      const address = await store.works.find(workId);
      const parent = holder.get(workId)?.isRunning ? undefined : await findParent(runtime, address);
      return { address, parent };
    });
    const settled = found.then(
      () => undefined,
      () => undefined,
    );
    lookups.set(workId, settled);
    void settled.then(() => {
      if (lookups.get(workId) === settled) lookups.delete(workId);
    });
    return found;
  };
  /** In turn with all else that is done with it: through the conversation that is in this run, else by itself. */
  const withDriver = async <T>(workId: string, use: (driver: Driver) => Promise<T>): Promise<T> => {
    const { address, parent } = await lookUp(workId);
    const alone = (): Promise<T> => holder.inTurn(workId, (holding) => use({ holding, address }));
    if (!parent) return alone();
    return holder.inTurn(parent.workId, async (holding) => {
      const activeRunId = holding.value
        ? holding.value.work.activeRunId
        : await readActiveRun(runtime, parent);
      return activeRunId === workId ? use({ holding, address: parent }) : alone();
    });
  };
  const commandDriver = async (
    driver: Driver,
    give: WorkCommand,
    { model }: CommandOptions = {},
  ): Promise<SessionStop> => {
    const work = await ensureOpen(driver, model);
    const giveWith: WorkCommand = async (opened, taking) => {
      if (model !== undefined && isSession(opened)) await opened.setModel({ model });
      return give(opened, taking);
    };
    return drive(driver.holding, work, giveWith);
  };
  const useClosed: OpenWorks['useClosed'] = (workId, use, askOpen) =>
    withDriver(workId, async ({ holding, address }) => {
      const known = holding.value && askOpen?.(holding.value.work);
      if (known !== undefined) return known;
      if (holding.value?.isRunning)
        throw new CrewError('RUN_NOT_READY', 'It cannot do that now: it is running; stop it first.');
      await holder.release(holding);
      if (!address.isRun) await releaseRuns(address.workId);
      const result = await use(address.workId === workId ? address : { ...address, workId, isRun: true });
      await hub.refresh(workId).catch((error: unknown) => onBug('refresh', error));
      onPhase();
      return result;
    });
  const stopIt = async (workId: string, work: OpenWork): Promise<WorkStatus> => {
    const stop = await work.stop();
    onPhase();
    return { workId, ...stop };
  };

  return {
    async admit(make, first) {
      holder.requireOpen();
      const made = await make();
      const { workId } = made.record;
      return holder.admit(workId, async (holding) => {
        await hold(holding, made);
        onPhase();
        if (!first || holder.isClosing) return { workId, ...made.rest() };
        try {
          return { workId, ...(await drive(holding, made, (_, taking) => first(made, taking))) };
        } catch (error) {
          await holder.release(holding);
          await runtime.deleteWork(await store.works.find(workId));
          hub.drop(workId);
          throw error;
        }
      });
    },
    command: (workId, give, commandOptions) =>
      withDriver(workId, async (driver) => ({
        workId,
        ...(await commandDriver(driver, give, commandOptions)),
      })),
    talk: (workId, give, commandOptions) =>
      withDriver(workId, async (driver) => {
        // Checked before the run is opened: opening it with `model` would change the model that drives it.
        if (driver.address.isRun) throw notForRuns();
        const giveSession: WorkCommand = (work, taking) =>
          isSession(work) ? give(work, taking) : Promise.reject(notForRuns());
        return { workId, ...(await commandDriver(driver, giveSession, commandOptions)) };
      }),
    useRun: (runId, use) =>
      useClosed(runId, async () => {
        const run = await runtime.openRun(runId);
        try {
          return await use(run);
        } finally {
          await run.close();
        }
      }),
    useClosed,
    async stop(workId) {
      const open = holder.get(workId)?.work ?? [...held].find(({ activeRunId }) => activeRunId === workId);
      if (open) return stopIt(workId, open);
      await lookups.get(workId);
      if (!holder.isAccepted(workId)) return undefined;
      // It is about to be opened.
      return holder.inTurn(workId, async ({ value }) => value && stopIt(workId, value.work));
    },
    isHeld: (workId) =>
      holder.get(workId) !== undefined || [...held].some(({ activeRunId }) => activeRunId === workId),
    changesOf(workId) {
      for (const work of held) {
        const changes = work.changes(workId);
        if (changes) return changes;
      }
      return undefined;
    },
    closeIdle: (fits) => holder.closeIdle(({ work }) => fits(work.record)),
    close: () => holder.close(),
  };
}

function isSession(work: OpenWork): work is Session {
  return 'enterAgent' in work;
}

function notForRuns(): CrewError {
  return new CrewError('USAGE', 'This is a run by itself; begin a conversation for that.');
}

/** The conversation that a run belongs to. A run whose record cannot be read is opened by itself, and says why. */
async function findParent({ store }: Runtime, address: WorkAddress): Promise<WorkAddress | undefined> {
  if (!address.isRun) return undefined;
  try {
    const record = await store.works.read(address);
    const workId = isRun(record) ? record.parentId : undefined;
    return workId === undefined ? undefined : { projectId: address.projectId, workId, isRun: false };
  } catch (error) {
    if (error instanceof CrewError) return undefined;
    throw error;
  }
}

/** A run outlives a conversation that is gone or damaged. */
async function readActiveRun({ store }: Runtime, parent: WorkAddress): Promise<string | undefined> {
  try {
    const record = await store.works.read(parent);
    return isRun(record) ? undefined : record.activeRunId;
  } catch (error) {
    if (error instanceof CrewError) return undefined;
    throw error;
  }
}

/** With another model, where the one it had cannot be had any more. */
async function openSession(runtime: Runtime, workId: string, model: string | undefined): Promise<Session> {
  const surface = 'web';
  try {
    return await runtime.openConversation(workId, { surface });
  } catch (error) {
    if (!(error instanceof CrewError) || model === undefined) throw error;
    if (['RUN_LOCKED', 'CONVERSATION_NOT_FOUND'].includes(error.code)) throw error;
    return runtime.openConversation(workId, { surface, model: { model } });
  }
}

function toHeld(work: OpenWork, detach: () => Promise<void>): HeldWork {
  return {
    work,
    get isRunning() {
      return work.isRunning;
    },
    get reportedRunning() {
      return work.rest().phase === 'Running';
    },
    stop: () => work.stop(),
    async close() {
      try {
        await work.close();
      } finally {
        await detach();
      }
    },
  };
}
