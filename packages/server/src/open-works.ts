/**
 * The Works that are open in this process: opened by the first command, shared by all clients, and released soon after they
 * become idle, so that the command line can open them. A command is answered as soon as it is accepted; its outcome is
 * reported by events. A run that is active in a conversation is driven by the conversation.
 */
import {
  CrewError,
  findRoot,
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
  /** Holds a new Work and sends it the `first` command; deletes the Work if that command is rejected. */
  register<Work extends OpenWork>(
    make: () => Promise<Work>,
    first: ((work: Work, options: TakeOptions) => Promise<SessionStop>) | undefined,
  ): Promise<WorkStatus>;
  /** Sends a command to a Work, or to the conversation that drives it; switches to `options.model` if it is given. */
  command(workId: string, execute: WorkCommand, options?: CommandOptions): Promise<WorkStatus>;
  /** Sends a command that only conversations support. */
  commandSession(workId: string, execute: ThreadCommand, options?: CommandOptions): Promise<WorkStatus>;
  /** Opens an idle run for `use`, and closes it afterwards. */
  useRun<T>(runId: string, use: (run: IdleRun) => Promise<T>): Promise<T>;
  /**
   * Runs `use` while the Work is closed. Throws while a turn is in progress, unless `askOpen` answers from the open Work: it may
   * have been opened while this call was queued.
   */
  useClosed<T>(
    workId: string,
    use: (address: WorkAddress) => Promise<T>,
    askOpen?: (work: OpenWork) => T | undefined,
  ): Promise<T>;
  /** Tells the readers of a Work, its root and its conversation that runs which are over have changed. */
  announceChange(workId: string): Promise<void>;
  /** Stops the turn in progress; undefined if the Work is not open in this process. */
  stop(workId: string): Promise<WorkStatus | undefined>;
  /** Whether the Work is open in this process, directly or as the active run of a conversation. */
  isHeld(workId: string): boolean;
  /** The file changes of a Work that is open in this process; undefined if it is not. */
  changesOf(workId: string): readonly JournalEntry[] | undefined;
  /** Releases idle Works. */
  closeIdle(fits: (record: WorkRecord) => boolean): Promise<void>;
  /** Stops and releases everything. */
  close(): Promise<void>;
}

/** Calls `onAccepted` when its turn begins; rejects at once if the command is not possible now. */
export type WorkCommand = (work: OpenWork, options: TakeOptions) => Promise<SessionStop>;
export type ThreadCommand = (session: Session, options: TakeOptions) => Promise<SessionStop>;

interface CommandOptions {
  /** Also opens a Work whose own model is no longer available. */
  readonly model?: string | undefined;
}

export interface OpenWorksOptions extends HolderOptions, WorkHub {
  readonly runtime: Runtime;
}

/** A run that rests, or one that it called and that is under way. */
export type IdleRun = NonNullable<ReturnType<OpenRun['find']>>;

interface HeldWork extends Held {
  readonly work: OpenWork;
}

/** The Work that executes commands: the Work itself or the conversation that drives it. */
interface Driver {
  readonly holding: Holding<HeldWork>;
  readonly address: WorkAddress;
}

interface FoundWork {
  readonly address: WorkAddress;
  /** The conversation that may drive a run; undefined for a standalone run. */
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
    // Another model drives a run from the next time it is opened.
    else if (model !== undefined && holding.value?.isRunning === false) await holder.release(holding);
    if (holding.value) return holding.value.work;
    return hold(
      holding,
      isRunWork
        ? toOpenWork(await runtime.openRun(workId, { model: { model } }))
        : await openSession(runtime, workId, model),
    );
  };
  const drive = (holding: Holding<HeldWork>, work: OpenWork, execute: WorkCommand): Promise<SessionStop> =>
    new Promise((resolve, reject) => {
      let isAccepted = false;
      const onAccepted = (stop: SessionStop): void => {
        isAccepted = true;
        onPhase();
        resolve(stop);
      };
      const turn = execute(work, { onAccepted }).then(onAccepted, (error: unknown) => {
        // The client already has its response.
        if (isAccepted) throw error;
        reject(error);
      });
      if (holding.value) holder.track(work.record.workId, holding.value, turn);
    });

  /** A lookup reads the disk. Lookups of one Work run one after the other, so that its commands stay in order. */
  const lookUp = (workId: string): Promise<FoundWork> => {
    const found = (lookups.get(workId) ?? Promise.resolve()).then(async () => {
      const found = await store.works.find(workId);
      // What another run called is driven through the run at the root.
      const address = found.isRun ? await findRoot(store, { ...found, isRun: true }) : found;
      const parent = holder.get(address.workId)?.isRunning ? undefined : await findParent(runtime, address);
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
  /** Queues an operation on the conversation that drives this run, else on the Work itself. */
  const withDriver = async <T>(workId: string, use: (driver: Driver) => Promise<T>): Promise<T> => {
    const { address, parent } = await lookUp(workId);
    const alone = (): Promise<T> => holder.inTurn(address.workId, (holding) => use({ holding, address }));
    if (!parent) return alone();
    return holder.inTurn(parent.workId, async (holding) => {
      const activeRunId = holding.value
        ? holding.value.work.activeRunId
        : await readActiveRun(runtime, parent);
      return activeRunId === address.workId ? use({ holding, address: parent }) : alone();
    });
  };
  const commandDriver = async (
    driver: Driver,
    execute: WorkCommand,
    { model }: CommandOptions = {},
  ): Promise<SessionStop> => {
    const work = await ensureOpen(driver, model);
    const executeWithModel: WorkCommand = async (opened, takeOptions) => {
      if (model !== undefined && isSession(opened)) await opened.setModel({ model });
      return execute(opened, takeOptions);
    };
    return drive(driver.holding, work, executeWithModel);
  };
  const useClosed: OpenWorks['useClosed'] = (workId, use, askOpen) =>
    withDriver(workId, async ({ holding, address }) => {
      const known = holding.value && askOpen?.(holding.value.work);
      if (known !== undefined) return known;
      if (holding.value?.isRunning)
        throw new CrewError('RUN_NOT_READY', 'This is not possible while it is running. Stop it first.');
      await holder.release(holding);
      if (!address.isRun) await releaseRuns(address.workId);
      const result = await use(address.workId === workId ? address : { ...address, workId, isRun: true });
      await hub.refresh(workId).catch((error: unknown) => onBug('refresh', error));
      onPhase();
      return result;
    });
  const stopWork = async (workId: string, work: OpenWork): Promise<WorkStatus> => {
    const stop = await work.stop();
    onPhase();
    return { workId, ...stop };
  };

  return {
    async register(make, first) {
      holder.requireOpen();
      const created = await make();
      const { workId } = created.record;
      return holder.register(workId, async (holding) => {
        await hold(holding, created);
        onPhase();
        if (!first || holder.isClosing) return { workId, ...created.rest() };
        try {
          return {
            workId,
            ...(await drive(holding, created, (_, takeOptions) => first(created, takeOptions))),
          };
        } catch (error) {
          await holder.release(holding);
          await runtime.deleteWork(await store.works.find(workId));
          hub.drop(workId);
          throw error;
        }
      });
    },
    command: (workId, execute, commandOptions) =>
      withDriver(workId, async (driver) => ({
        workId,
        ...(await commandDriver(driver, execute, commandOptions)),
      })),
    commandSession: (workId, execute, commandOptions) =>
      withDriver(workId, async (driver) => {
        // Checked before the run is opened: opening it with `model` would change its model.
        if (driver.address.isRun) throw notForRuns();
        const executeSession: WorkCommand = (work, takeOptions) =>
          isSession(work) ? execute(work, takeOptions) : Promise.reject(notForRuns());
        return { workId, ...(await commandDriver(driver, executeSession, commandOptions)) };
      }),
    useRun: (runId, use) =>
      useClosed(runId, async () => {
        const run = await runtime.openRun(runId);
        try {
          const found = run.find(runId);
          if (!found) throw new CrewError('RUN_NOT_READY', CALL_IS_OVER);
          const result = await use(found);
          await run.engine.followCall();
          return result;
        } finally {
          await run.close();
        }
      }),
    useClosed,
    async announceChange(workId) {
      const { address, parent } = await lookUp(workId);
      const ids = new Set([workId, address.workId, ...(parent ? [parent.workId] : [])]);
      await Promise.all([...ids].map((id) => hub.announce(id)));
    },
    async stop(workId) {
      const open = holder.get(workId)?.work ?? [...held].find(({ activeRunId }) => activeRunId === workId);
      if (open) return stopWork(workId, open);
      await lookups.get(workId);
      if (!holder.isInUse(workId)) return undefined;
      // An operation that may open it is queued.
      return holder.inTurn(workId, async ({ value }) => value && stopWork(workId, value.work));
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

const CALL_IS_OVER =
  'It cannot do that now: this workflow was called by another run and is over; go back in that run.';

function isSession(work: OpenWork): work is Session {
  return 'enterAgent' in work;
}

function notForRuns(): CrewError {
  return new CrewError('USAGE', 'This is a standalone run. Start a conversation to do that.');
}

/** The conversation a run belongs to. A run whose record cannot be read is opened on its own and reports the error. */
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

/** A run outlives a deleted or damaged conversation. */
async function readActiveRun({ store }: Runtime, parent: WorkAddress): Promise<string | undefined> {
  try {
    const record = await store.works.read(parent);
    return isRun(record) ? undefined : record.activeRunId;
  } catch (error) {
    if (error instanceof CrewError) return undefined;
    throw error;
  }
}

/** Opens the conversation with `model` if its own model is no longer available. */
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
