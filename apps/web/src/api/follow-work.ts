/**
 * A Work as one stream: a snapshot, then its own log and the log of its active run as they are written. A run that was left is
 * fetched once more, because its last events and `run.left` arrive on different streams. Another snapshot of its own log means
 * that runs which are over may have changed (an undo), or that events were missed: those runs are fetched again.
 */
import { type ApiClient, ApiError } from '@crewagent/protocol/api/client';
import { pause } from '@crewagent/protocol/api/event-stream';
import type { RunEvent } from '@crewagent/protocol/events';
import type { Story } from '@crewagent/protocol/story/story';
import { openCallOf } from '@crewagent/protocol/story/work-story';
import * as z from '@crewagent/protocol/zod';
import type { StoryMessage } from '../state/conversation-store.ts';
import { showWork } from './early-work.ts';
import { createMessageQueue, type MessageQueue } from './message-queue.ts';

export interface FollowOptions {
  readonly signal: AbortSignal;
  readonly onState: (state: 'open' | 'broken') => void;
  readonly firstWaitMs?: number;
}

export async function* followWork(
  client: ApiClient,
  workId: string,
  { signal, onState, ...waiting }: FollowOptions,
): AsyncGenerator<StoryMessage, void> {
  const connections = createConnections(onState);
  const onBroken = (): void => connections.open(workId)('broken');
  const { state, view, runs } = await retryUntilAnswered(() => showWork(client, workId, signal), {
    signal,
    onBroken,
    ...waiting,
  });
  yield { type: 'snapshot', data: { state, view, runs } };
  const queue = createMessageQueue<StoryMessage>();
  const { followRun, followCalls, followCall, fetchEnded, takeCalls } = createRunFollower(client, {
    signal,
    queue,
    connections,
    waiting,
    known: Object.keys(runs),
  });
  signal.addEventListener('abort', () => queue.end(), { once: true });
  const take = (event: RunEvent): void => {
    if (event.type === 'run.entered') followRun(event.enteredRunId);
    if (event.type === 'run.left') followRun(undefined);
    followCalls(event);
  };
  const followOwn = async (): Promise<void> => {
    const query = { after: String(view.lastSeq) };
    const options = { signal, onState: connections.open(workId) };
    for await (const message of client.works.events({ workId, query }, options)) {
      if (message.type === 'snapshot') {
        queue.push({ type: 'own', data: message.data });
        followRun(message.data.state.activeRunId);
        fetchEnded();
        takeCalls(message.data.view);
      } else if (message.type === 'streaming') {
        queue.push({ type: 'streaming', data: { runId: workId, ...message.data } });
      } else {
        queue.push(message);
        take(message.data);
      }
    }
  };
  followRun(state.activeRunId, runs[state.activeRunId ?? '']?.lastSeq);
  for (const caller of [view, ...Object.values(runs)]) {
    const { childId } = openCallOf(caller) ?? {};
    followCall(childId, runs[childId ?? '']?.lastSeq);
  }
  followOwn().catch(queue.end);
  yield* queue.read();
}

interface RunFollowerParts {
  readonly signal: AbortSignal;
  readonly queue: MessageQueue<StoryMessage>;
  readonly connections: ReturnType<typeof createConnections>;
  readonly waiting: Pick<FollowOptions, 'firstWaitMs'>;
  /** Runs that are part of the first snapshot. */
  readonly known: readonly string[];
}

/** Follows the active run and the sub-workflows it is calling, no others: browsers allow few connections per server. */
function createRunFollower(client: ApiClient, parts: RunFollowerParts) {
  const { signal, queue, connections, waiting } = parts;
  const known = new Set(parts.known);
  let entered: string | undefined;
  const followed = new Map<string, AbortController>();

  const follow = async (runId: string, after: number | undefined, stopped: AbortSignal): Promise<void> => {
    const query = after === undefined ? {} : { after: String(after) };
    const options = { signal: AbortSignal.any([signal, stopped]), onState: connections.open(runId) };
    for await (const message of client.works.events({ workId: runId, query }, options)) {
      if (stopped.aborted) return;
      if (message.type === 'snapshot') {
        queue.push({ type: 'run', data: message.data.view });
        takeCalls(message.data.view);
      } else if (message.type === 'event') {
        queue.push(message);
        followCalls(message.data);
      } else queue.push({ type: 'streaming', data: { runId, ...message.data } });
    }
  };
  const fetchOnce = async (runId: string): Promise<void> => {
    const ask = () => client.works.show({ workId: runId }, { signal });
    const { view } = await retryUntilAnswered(ask, { signal, ...waiting });
    if (followed.has(runId)) return;
    queue.push({ type: 'run', data: view });
    takeCalls(view);
  };
  /** Calls may have started and ended before the first message about their run arrived. */
  const takeCalls = (view: Story): void => {
    begin(openCallOf(view)?.childId);
    for (const { childId } of view.calls) {
      if (known.has(childId)) continue;
      known.add(childId);
      fetchOnce(childId).catch(() => undefined);
    }
  };
  const begin = (runId: string | undefined, after?: number): void => {
    if (runId === undefined || followed.has(runId)) return;
    known.add(runId);
    const stop = new AbortController();
    followed.set(runId, stop);
    follow(runId, after, stop.signal).catch(queue.end);
  };
  const end = (runId: string): void => {
    followed.get(runId)?.abort();
    if (!followed.delete(runId)) return;
    connections.close(runId);
    // A Work that was deleted sends no last message; the others are still followed.
    fetchOnce(runId).catch(() => undefined);
  };
  const followCalls = (event: RunEvent): void => {
    if (event.type === 'call.started') begin(event.childId);
    if (event.type === 'call.ended') end(event.childId);
  };

  return {
    followCalls,
    takeCalls,
    followCall: begin,
    fetchEnded(): void {
      // A run that was deleted is not fetched.
      for (const id of known) if (!followed.has(id)) fetchOnce(id).catch(() => undefined);
    },
    followRun(runId: string | undefined, after?: number): void {
      if (entered === runId) return;
      // Called runs end with their caller.
      if (entered !== undefined) for (const id of [...followed.keys()]) end(id);
      entered = runId;
      begin(runId, after);
    },
  };
}

/** Reports `open` only if all connections are open. */
function createConnections(onState: FollowOptions['onState']) {
  const broken = new Set<string>();
  const report = (): void => onState(broken.size === 0 ? 'open' : 'broken');
  return {
    open:
      (name: string): FollowOptions['onState'] =>
      (state) => {
        if (state === 'open') broken.delete(name);
        else broken.add(name);
        report();
      },
    close: (name: string): void => {
      if (broken.delete(name)) report();
    },
  };
}

export interface RetryOptions {
  readonly signal: AbortSignal;
  /** Called after each failed attempt. */
  readonly onBroken?: () => void;
  readonly firstWaitMs?: number;
}

const INITIAL_WAIT_MS = 250;
const MAX_WAIT_MS = 5_000;

/**
 * Retries a request with growing delays, as event streams reconnect. Throws errors that a retry cannot fix, and when `signal` is
 * aborted.
 */
async function retryUntilAnswered<T>(
  ask: () => Promise<T>,
  { signal, onBroken = () => undefined, firstWaitMs = INITIAL_WAIT_MS }: RetryOptions,
): Promise<T> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted || isFinal(error)) throw error;
    }
    onBroken();
    await pause(waitMs, signal);
    signal.throwIfAborted();
  }
}

/** The server rejected the request, or its response was malformed. */
function isFinal(error: unknown): boolean {
  return error instanceof z.core.$ZodError || (error instanceof ApiError && !error.isWorthRetrying);
}
