/**
 * Forwards the events of an open Work to its own channel, and the events of its runs to theirs while it drives them.
 */
import type { OpenWork } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import type { EventHub } from '../streams/event-hub.ts';

export interface WorkHub {
  readonly hub: EventHub;
  onBug(id: string, error: unknown): void;
}

/** Returns a function that detaches the Work. */
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

interface Follower {
  deliver(event: RunEvent): void;
  detach(): Promise<void>;
}

/** Buffers events until the channel has been found. */
function follow(hub: EventHub, runId: string): Follower {
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
    deliver: (event) => void deliver(event),
    async detach() {
      await (await attached)();
    },
  };
}
