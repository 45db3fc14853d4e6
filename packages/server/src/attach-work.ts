/**
 * Tells the channels what happens in a Work that is open here: its own channel, and those of its runs while it is in them.
 */
import type { OpenWork } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import type { EventHub } from './event-hub.ts';

export interface WorkHub {
  readonly hub: EventHub;
  onBug(id: string, error: unknown): void;
}

/** The answer ends it. */
export async function attachWork(work: OpenWork, { hub, onBug }: WorkHub): Promise<() => Promise<void>> {
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
    if (event.runId !== workId) followerOf(event.runId).tell(event);
    // From here on another process may have it.
    else if (event.type === 'run.left') void leave(event.leftRunId);
  });
  return async () => {
    unsubscribe();
    await Promise.all([...runs.keys()].map(leave));
    await detachOwn();
  };
}

interface Follower {
  tell(event: RunEvent): void;
  detach(): Promise<void>;
}

/** Finding the channel takes a moment; what is told meanwhile waits. */
function follow(hub: EventHub, runId: string): Follower {
  const early: RunEvent[] = [];
  let tell = (event: RunEvent): unknown => early.push(event);
  const attached = hub.attach(runId, (listener) => {
    tell = listener;
    for (const event of early.splice(0)) listener(event);
    return () => {
      tell = () => undefined;
    };
  });
  // Told when it is left.
  attached.catch(() => undefined);
  return {
    tell: (event) => void tell(event),
    async detach() {
      await (await attached)();
    },
  };
}
