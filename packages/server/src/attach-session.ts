/**
 * Tells the channels what happens in a conversation that is open here: its own, and those of its runs while it is in them.
 */
import type { Session } from '@crewagent/core';
import type { ConversationView } from '@crewagent/protocol/conversation-view';
import type { RunEvent } from '@crewagent/protocol/events';
import type { RunView } from '@crewagent/protocol/run-view';
import type { EventHub } from './event-hub.ts';

export interface SessionHubs {
  readonly hub: EventHub<RunView>;
  readonly talkHub: EventHub<ConversationView>;
  onBug(id: string, error: unknown): void;
}

/** The answer ends it. */
export async function attachSession(
  session: Session,
  { hub, talkHub, onBug }: SessionHubs,
): Promise<() => Promise<void>> {
  const { conversationId } = session.record;
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

  const detachTalk = await talkHub.attach(conversationId, (listener) =>
    session.subscribe((event) => {
      if (event.runId === conversationId) listener(event);
    }),
  );
  const unsubscribe = session.subscribe((event) => {
    if (event.runId !== conversationId) followerOf(event.runId).tell(event);
    // From here on another process may have it.
    else if (event.type === 'run.left') void leave(event.leftRunId);
  });
  return async () => {
    unsubscribe();
    await Promise.all([...runs.keys()].map(leave));
    await detachTalk();
  };
}

interface Follower {
  tell(event: RunEvent): void;
  detach(): Promise<void>;
}

/** Finding the channel takes a moment; what is told meanwhile waits. */
function follow(hub: EventHub<RunView>, runId: string): Follower {
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
