/**
 * Holds Works open: attaches their events to the channels, opens them on the first command, and follows the turns that commands
 * begin.
 */
import type { AcceptOptions, SessionStop, WorkAddress } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import { toStatus } from '@crewagent/protocol/status';
import type { HostedWork } from '../hosts/hosted-work.ts';
import type { WorkHosts } from '../hosts/work-hosts.ts';
import type { EventHub } from '../streams/event-hub.ts';
import { createHolder, type Held, type HolderOptions, type Holding } from './holder.ts';

export interface HeldWork extends Held {
  readonly work: HostedWork;
}

/** The Work that executes commands: the Work itself or the conversation that drives it. */
export interface Driver {
  readonly holding: Holding<HeldWork>;
  readonly address: WorkAddress;
}

/** Calls `onAccepted` when its turn begins; rejects at once if the command is not possible now. */
export type WorkCommand = (work: HostedWork, options: AcceptOptions) => Promise<SessionStop>;

export interface HeldWorksOptions extends HolderOptions, WorkHub {
  readonly hosts: WorkHosts;
}

export type HeldWorks = ReturnType<typeof createHeldWorks>;

export function createHeldWorks(options: HeldWorksOptions) {
  const { hosts, onPhase } = options;
  const holder = createHolder<HeldWork>(options);
  const held = new Set<HostedWork>();

  const hold = async (holding: Holding<HeldWork>, work: HostedWork): Promise<void> => {
    let detach = async (): Promise<void> => undefined;
    try {
      if (!hosts.areElsewhere) detach = await attachWork(work, options);
    } catch (error) {
      await work.close();
      throw error;
    }
    work.subscribe(({ type }) => {
      if (type === 'phase.changed') onPhase();
    });
    held.add(work);
    holding.value = toHeld(work, hosts.areElsewhere, async () => {
      held.delete(work);
      await detach();
    });
  };
  /** Releases idle runs of a conversation. */
  const releaseRuns = (workId: string): Promise<void> =>
    holder.closeIdle(({ work: { record } }) => record.parentId === workId);
  return {
    holder,
    /** The open Work with this id, or the conversation whose active run has it. */
    find: (workId: string): HostedWork | undefined =>
      holder.get(workId)?.work ?? [...held].find(({ activeRunId }) => activeRunId === workId),
    all: (): Iterable<HostedWork> => held,
    hold,
    releaseRuns,
    async ensureOpen({ holding, address }: Driver, model: string | undefined): Promise<HostedWork> {
      await releaseRuns(address.workId);
      const known = holding.value?.work;
      // Another model drives a run from the next time it is opened.
      if (model !== undefined && known?.record.workflowRef !== undefined && !known.isRunning)
        await holder.release(holding);
      if (holding.value) return holding.value.work;
      const work = await hosts.open({ workId: address.workId, model });
      await hold(holding, work);
      return work;
    },
    /** Sends a command; resolves when it is accepted. */
    drive: (holding: Holding<HeldWork>, work: HostedWork, execute: WorkCommand) =>
      new Promise<SessionStop>((resolve, reject) => {
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
      }),
  };
}

function toHeld(work: HostedWork, areElsewhere: boolean | undefined, detach: () => Promise<void>): HeldWork {
  return {
    work,
    get isRunning() {
      return work.isRunning;
    },
    get reportedRunning() {
      return toStatus(work.state()).isRunning;
    },
    nextReport: () =>
      new Promise((resolve) => {
        const unsubscribe = work.subscribe(() => {
          if (!toStatus(work.state()).isRunning) return;
          unsubscribe();
          resolve();
        });
      }),
    // An answer of the host comes after everything that it has reported.
    refresh: async () => void (areElsewhere ? undefined : await work.pending()),
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

interface WorkHub {
  readonly hub: EventHub;
  onBug(id: string, error: unknown): void;
}

/**
 * Forwards the events of an open Work to its own channel, and the events of its runs to theirs while it drives them. Returns a
 * function that detaches the Work.
 */
async function attachWork(work: HostedWork, { hub, onBug }: WorkHub): Promise<() => Promise<void>> {
  const { workId } = work.record;
  const runs = new Map<string, Follower>();
  const leave = async (runId: string): Promise<void> => {
    const follower = runs.get(runId);
    runs.delete(runId);
    await follower?.detach().catch((error: unknown) => onBug('leaving a run', error));
  };
  const followerOf = (runId: string): Follower => {
    const follower = runs.get(runId) ?? follow(hub, runId);
    runs.set(runId, follower);
    return follower;
  };

  const detachOwn = await hub.attach(workId, (listener) =>
    work.subscribe((event) => {
      if (event.runId === workId) listener(event);
    }),
  );
  const unsubscribe = work.subscribe((event) => {
    if (event.runId !== workId) followerOf(event.runId).deliver(event);
    // From here on another process may drive the run.
    else if (event.type === 'run.left') void leave(event.leftRunId);
    if (event.type === 'call.ended') void leave(event.childId);
  });
  return async () => {
    unsubscribe();
    await Promise.all([...runs.keys()].map(leave));
    await detachOwn();
  };
}

type Follower = ReturnType<typeof follow>;

/** Buffers events until the channel has been found. */
function follow(hub: EventHub, runId: string) {
  const early: RunEvent[] = [];
  let deliver = (event: RunEvent): unknown => early.push(event);
  const attached = hub.attach(runId, (listener) => {
    deliver = listener;
    for (const event of early.splice(0)) listener(event);
    return () => {
      deliver = () => undefined;
    };
  });
  // `detach` reports the error.
  attached.catch(() => undefined);
  return {
    deliver: (event: RunEvent): void => void deliver(event),
    async detach(): Promise<void> {
      await (await attached)();
    },
  };
}
