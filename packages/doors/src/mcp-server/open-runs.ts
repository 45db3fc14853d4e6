/**
 * The runs that hosts have open in this process, each driven by one call at a time. A run is closed when its host is silent for long,
 * so that it can be continued elsewhere; the next call opens it again.
 */
import { CrewError, type HostedRun, type HostRequest, type RunAddress, type Runtime } from '@crewagent/core';

export interface OpenRuns {
  start(request: Extract<HostRequest, { package: string }>): Promise<RunHandle>;
  /** A run of the project, open or not. Without `ref`, the only one that is open. */
  find(ref: string | undefined, project: HostProject): Promise<RunHandle>;
  /** Undefined if it is not open here. */
  opened(ref: string, project: HostProject): RunHandle | undefined;
  isOpen(runId: string): boolean;
  /** Throws RUN_NOT_FOUND for a run of another project, too. */
  locate(ref: string, project: HostProject): Promise<RunAddress>;
  /** Closes a run, so that something else can drive it. */
  release(handle: RunHandle): Promise<void>;
  close(): Promise<void>;
}

/** Who asks, and for which folder. */
export interface HostProject {
  readonly host: string;
  readonly projectPath: string;
}

export interface RunHandle {
  readonly runId: string;
  /** One at a time, in order; refused if too many wait. */
  use<T>(work: (run: HostedRun) => Promise<T>): Promise<T>;
}

interface TrackedRun extends RunHandle {
  readonly run: HostedRun;
  readonly project: HostProject;
  idle: NodeJS.Timeout | undefined;
}

export interface OpenRunsOptions {
  readonly runtime: Pick<Runtime, 'hostRun' | 'store' | 'settleWork'>;
  /** Runs that are open are reported, and what happens in them. */
  onOpened(run: HostedRun): void;
  readonly idleMs?: number | undefined;
}

const IDLE_MS = 10 * 60_000;
const MAX_OPEN = 16;
const MAX_WAITING = 16;

export function createOpenRuns({ runtime, onOpened, idleMs = IDLE_MS }: OpenRunsOptions): OpenRuns {
  const open = new Map<string, TrackedRun>();
  /** By run: two calls at once open it once. */
  const opening = new Map<string, Promise<TrackedRun>>();
  /** A run is opened again only when it has been closed. */
  const closing = new Map<string, Promise<void>>();

  const track = (run: HostedRun, project: HostProject): TrackedRun => {
    const releaseWhenIdle = (): void => {
      clearTimeout(handle.idle);
      const delayMs = isOver(run) ? 0 : idleMs;
      handle.idle = setTimeout(() => void release(handle).catch(() => undefined), delayMs);
      handle.idle.unref();
    };
    const calls = createCallQueue(run, releaseWhenIdle);
    const handle: TrackedRun = {
      runId: run.record.workId,
      run,
      project,
      idle: undefined,
      use(work) {
        clearTimeout(handle.idle);
        return calls.add(work);
      },
    };
    // A person stops it from elsewhere, to continue it there.
    run.engine.subscribe(({ type }) => {
      if (type === 'phase.changed' && calls.isEmpty() && isOver(run)) releaseWhenIdle();
    });
    open.set(handle.runId, handle);
    onOpened(run);
    return handle;
  };
  const release = async (handle: RunHandle): Promise<void> => {
    const tracked = open.get(handle.runId);
    if (!tracked) return;
    clearTimeout(tracked.idle);
    open.delete(handle.runId);
    const closed = tracked.run.close().finally(() => closing.delete(handle.runId));
    closing.set(handle.runId, closed);
    await closed;
  };
  const requireRoom = (): void => {
    if (open.size + opening.size >= MAX_OPEN)
      throw new CrewError(
        'RUN_NOT_READY',
        'Too many workflows are open here. Pause one with pause_workflow.',
      );
  };
  const reopen = (ref: string, project: HostProject): Promise<TrackedRun> => {
    requireRoom();
    const opened = opening.get(ref) ?? openAgain(ref, project).finally(() => opening.delete(ref));
    opening.set(ref, opened);
    return opened;
  };
  const opened = (ref: string, project: HostProject): TrackedRun | undefined => {
    const handle = open.get(ref);
    if (handle && handle.project.projectPath !== project.projectPath) throw noSuchRun(ref);
    return handle;
  };
  const locate: OpenRuns['locate'] = async (ref, project) => {
    const address = await runtime.store.works.find(ref);
    const known = await runtime.store.projects.find(project.projectPath);
    // The same words as for an id that does not exist: a host learns nothing about other projects.
    if (!address.isRun || address.projectId !== known?.projectId) throw noSuchRun(ref);
    return { ...address, isRun: true };
  };
  const openAgain = async (ref: string, project: HostProject): Promise<TrackedRun> => {
    const address = await locate(ref, project);
    await closing.get(ref)?.catch(() => undefined);
    await runtime.settleWork(address);
    return track(await runtime.hostRun({ host: project.host, ref }), project);
  };

  return {
    async start(request) {
      requireRoom();
      return track(await runtime.hostRun(request), request);
    },
    isOpen: (runId) => open.has(runId),
    opened,
    locate,
    async find(ref, project) {
      if (ref !== undefined) return opened(ref, project) ?? reopen(ref, project);
      const own = [...open.values()].filter((handle) => handle.project.projectPath === project.projectPath);
      const [only] = own;
      if (only && own.length === 1) return only;
      throw new CrewError(
        'USAGE',
        only
          ? `Several workflows are open; name one with "run": ${own.map(({ runId }) => runId).join(', ')}.`
          : 'No workflow is open. Start one with start_workflow, or continue one with resume_workflow.',
      );
    },
    release,
    async close() {
      await Promise.allSettled([...open.values()].map(release));
    },
  };
}

/** Calls to a run, one after the other. */
function createCallQueue(run: HostedRun, onEmpty: () => void) {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    isEmpty: (): boolean => waiting === 0,
    async add<T>(work: (run: HostedRun) => Promise<T>): Promise<T> {
      if (waiting >= MAX_WAITING)
        throw new CrewError('RUN_NOT_READY', 'Too many calls wait for this run. Make one at a time.');
      waiting++;
      const result = last.then(() => work(run));
      last = result.catch(() => undefined);
      try {
        return await result;
      } finally {
        waiting--;
        if (waiting === 0) onEmpty();
      }
    },
  };
}

/** Complete, or stopped by a person. */
function isOver({ engine: { memory } }: HostedRun): boolean {
  return memory.phase === 'Completed' || memory.reason?.code === 'stopped';
}

function noSuchRun(ref: string): CrewError {
  return new CrewError('RUN_NOT_FOUND', `This project has no run "${ref.slice(0, 64)}".`);
}
