/**
 * The Works that are open in this process: opened by the first command, shared by all clients, and released soon after they
 * become idle, so that the command line can open them. A command is answered as soon as it is accepted; its outcome is
 * reported by events. A run that is active in a conversation is driven by the conversation.
 */
import {
  CrewError,
  conversationBeside,
  findRoot,
  ifPossible,
  type OpenRun,
  type Runtime,
  runBeside,
  type SessionStop,
  type WorkAddress,
} from '@crewagent/core';
import type { WorkStatus } from '@crewagent/protocol/api/work-messages';
import type { JournalEntry } from '@crewagent/protocol/journal';
import type { WorkRecord } from '@crewagent/protocol/work';
import type { OpenRequest } from '../hosts/host-messages.ts';
import type { HostedWork } from '../hosts/hosted-work.ts';
import {
  createHeldWorks,
  type Driver,
  type HeldWorks,
  type HeldWorksOptions,
  type WorkCommand,
} from './held-works.ts';

export interface OpenWorks {
  /** Holds a new Work and sends it the `first` command; deletes the Work if that command is rejected. */
  register(
    request: Extract<OpenRequest, { readonly create: unknown }>,
    first: WorkCommand | undefined,
  ): Promise<WorkStatus>;
  /** Sends a command to a Work, or to the conversation that drives it; switches to `options.model` if it is given. */
  command(workId: string, execute: WorkCommand, options?: CommandOptions): Promise<WorkStatus>;
  /** Sends a command that only conversations support. */
  commandSession(workId: string, execute: WorkCommand, options?: CommandOptions): Promise<WorkStatus>;
  /** Opens an idle run for `use`, and closes it afterwards. */
  useRun<T>(runId: string, use: (run: IdleRun) => Promise<T>): Promise<T>;
  /**
   * Runs `use` while the Work is closed. Throws while a turn is in progress, unless `askOpen` answers from the open Work: it may
   * have been opened while this call was queued.
   */
  useClosed<T>(
    workId: string,
    use: (address: WorkAddress) => Promise<T>,
    askOpen?: (work: HostedWork) => Promise<T | undefined>,
  ): Promise<T>;
  /** Tells the readers of a Work, its root and its conversation that runs which are over have changed. */
  announceChange(workId: string): Promise<void>;
  /** Stops the turn in progress; undefined if the Work is not open in this process. */
  stop(workId: string): Promise<WorkStatus | undefined>;
  /** Whether the Work is open in this process, directly or as the active run of a conversation. */
  isHeld(workId: string): boolean;
  /** The file changes of a Work that is open in this process; undefined if it is not. */
  changesOf(workId: string): Promise<readonly JournalEntry[] | undefined>;
  /** Releases idle Works. */
  closeIdle(fits: (record: WorkRecord) => boolean): Promise<void>;
  /** Stops and releases everything. */
  close(): Promise<void>;
}

interface CommandOptions {
  /** Also opens a Work whose own model is no longer available. */
  readonly model?: string | undefined;
}

/** A run that rests, or one that it called and that is under way. */
export type IdleRun = NonNullable<ReturnType<OpenRun['find']>>;

export interface OpenWorksOptions extends HeldWorksOptions {
  readonly runtime: Runtime;
  /** Runs `use` while the files of the Work are on this machine and no other changes them. By default they always are. */
  readonly withFiles?: (<T>(address: WorkAddress, use: () => Promise<T>) => Promise<T>) | undefined;
}

export function createOpenWorks(options: OpenWorksOptions): OpenWorks {
  const { runtime, hosts, hub, onPhase, onBug, withFiles = (_, use) => use() } = options;
  const { store } = runtime;
  const works = createHeldWorks(options);
  const { holder } = works;
  const lookups = createWorkLookups(runtime, (workId) => holder.get(workId)?.isRunning === true);
  const { withDriver, commandDriver } = createDrivers(runtime, works, lookups);

  const useClosed: OpenWorks['useClosed'] = (workId, use, askOpen) =>
    withDriver(workId, async ({ holding, address }) => {
      const known = holding.value && (await askOpen?.(holding.value.work));
      if (known !== undefined) return known;
      if (holding.value?.isRunning)
        throw new CrewError('RUN_NOT_READY', 'This is not possible while it is running. Stop it first.');
      await holder.release(holding);
      await works.releaseRuns(address.workId);
      const used = address.workId === workId ? address : runBeside(address, workId);
      const result = await withFiles(address, () => use(used));
      await hub.refresh(workId).catch((error: unknown) => onBug('refresh', error));
      onPhase();
      return result;
    });
  const stopWork = async (workId: string, work: HostedWork): Promise<WorkStatus> => {
    const stop = await work.stop();
    onPhase();
    return { workId, ...stop };
  };

  return {
    async register(request, first) {
      holder.requireOpen();
      const created = await hosts.open(request);
      const { workId } = created.record;
      return holder.register(workId, async (holding) => {
        await works.hold(holding, created);
        onPhase();
        if (!first || holder.isClosing) return { workId, ...created.state() };
        try {
          return { workId, ...(await works.drive(holding, created, first)) };
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
        if ((await store.works.read(driver.address)).workflowRef !== undefined) throw notForRuns();
        return { workId, ...(await commandDriver(driver, execute, commandOptions)) };
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
      const { address, parent } = await lookups.find(workId);
      await hub.announce([workId, address.workId, ...(parent ? [parent.workId] : [])]);
    },
    async stop(workId) {
      const open = works.find(workId);
      if (open) return stopWork(workId, open);
      await lookups.settled(workId);
      if (!holder.isInUse(workId)) return undefined;
      // An operation that may open it is queued.
      return holder.inTurn(workId, async ({ value }) => value && stopWork(workId, value.work));
    },
    isHeld: (workId) => works.find(workId) !== undefined,
    async changesOf(workId) {
      for (const work of works.all()) {
        const changes = await work.changes(workId);
        if (changes) return changes;
      }
      return undefined;
    },
    closeIdle: (fits) => holder.closeIdle(({ work }) => fits(work.record)),
    close: () => holder.close(),
  };
}

function createDrivers(runtime: Runtime, works: HeldWorks, lookups: WorkLookups) {
  /** Queues an operation on the conversation that drives this run, else on the Work itself. */
  const withDriver = async <T>(workId: string, use: (driver: Driver) => Promise<T>): Promise<T> => {
    const { address, parent } = await lookups.find(workId);
    const alone = (): Promise<T> =>
      works.holder.inTurn(address.workId, (holding) => use({ holding, address }));
    if (!parent) return alone();
    return works.holder.inTurn(parent.workId, async (holding) => {
      // A run outlives a deleted or damaged conversation.
      const activeRunId = holding.value
        ? holding.value.work.activeRunId
        : (await ifPossible(runtime.store.works.read(parent)))?.activeRunId;
      return activeRunId === address.workId ? use({ holding, address: parent }) : alone();
    });
  };
  const commandDriver = async (
    driver: Driver,
    execute: WorkCommand,
    { model }: CommandOptions = {},
  ): Promise<SessionStop> => {
    const work = await works.ensureOpen(driver, model);
    const executeWithModel: WorkCommand = async (opened, acceptOptions) => {
      if (model !== undefined && opened.record.workflowRef === undefined) await opened.setModel({ model });
      return execute(opened, acceptOptions);
    };
    return works.drive(driver.holding, work, executeWithModel);
  };

  return { withDriver, commandDriver };
}

const CALL_IS_OVER =
  'It cannot do that now: this workflow was called by another run and is over; go back in that run.';

function notForRuns(): CrewError {
  return new CrewError('USAGE', 'This is a standalone run. Start a conversation to do that.');
}

type WorkLookups = ReturnType<typeof createWorkLookups>;

interface FoundWork {
  readonly address: WorkAddress;
  /** The conversation that may drive a run; undefined for a standalone run. */
  readonly parent: WorkAddress | undefined;
}

/** Finds which Work executes the commands for an id: the root of called runs, and the conversation that may drive it. */
function createWorkLookups(runtime: Runtime, isRunning: (workId: string) => boolean) {
  const { store } = runtime;
  /** The last pending lookup of each Work. */
  const lookups = new Map<string, Promise<void>>();

  const findNow = async (workId: string): Promise<FoundWork> => {
    const found = await store.works.find(workId);
    // A called run is driven through the run at the root of its calls.
    const address = await findRoot(store, found);
    // A run that cannot be read is opened on its own and reports the error.
    const record = isRunning(address.workId) ? undefined : await ifPossible(store.works.read(address));
    const parentId = record?.parentId;
    return { address, parent: parentId === undefined ? undefined : conversationBeside(address, parentId) };
  };
  return {
    /** A lookup reads the disk. Lookups of one Work run one after the other, so that its commands stay in order. */
    find(workId: string): Promise<FoundWork> {
      const found = (lookups.get(workId) ?? Promise.resolve()).then(() => findNow(workId));
      const settled = found.then(
        () => undefined,
        () => undefined,
      );
      lookups.set(workId, settled);
      void settled.then(() => {
        if (lookups.get(workId) === settled) lookups.delete(workId);
      });
      return found;
    },
    /** Resolves when the lookups of this Work that are pending now have ended. */
    settled: async (workId: string): Promise<void> => lookups.get(workId),
  };
}
