/**
 * A conversation as one stream: what there is, then its own log and that of the run one is in, as they are written. A run
 * that was left is looked at once more: its last words and the leaving come by different ways.
 */
import type { ApiClient } from '@crewagent/protocol/api/client';
import type { RunEvent } from '@crewagent/protocol/events';
import type { ConversationMessage } from '../state/conversation-message.ts';
import { askUntilAnswered } from './ask-until-answered.ts';
import { createMessageQueue, type MessageQueue } from './message-queue.ts';

export interface FollowOptions {
  readonly signal: AbortSignal;
  readonly onState: (state: 'open' | 'broken') => void;
  readonly firstWaitMs?: number;
}

export async function* followConversation(
  client: ApiClient,
  conversationId: string,
  { signal, onState, ...waiting }: FollowOptions,
): AsyncGenerator<ConversationMessage, void> {
  const connections = createConnections(onState);
  const onBroken = (): void => connections.open(conversationId)('broken');
  const { state, talk, runs } = await askUntilAnswered(
    () => client.conversations.show({ conversationId }, { signal }),
    { signal, onBroken, ...waiting },
  );
  yield { type: 'snapshot', data: { state, talk, runs } };
  const queue = createMessageQueue<ConversationMessage>();
  const followRun = createRunFollower(client, { signal, queue, connections, waiting });
  signal.addEventListener('abort', () => queue.end(), { once: true });
  const take = (event: RunEvent): void => {
    if (event.type === 'run.entered') followRun(event.enteredRunId);
    if (event.type === 'run.left') followRun(undefined);
  };
  const followTalk = async (): Promise<void> => {
    const query = { after: String(talk.lastSeq) };
    const options = { signal, onState: connections.open(conversationId) };
    for await (const message of client.conversations.events({ conversationId, query }, options)) {
      if (message.type === 'snapshot') {
        queue.push({ type: 'talk', data: message.data });
        followRun(message.data.state.activeRunId);
      } else if (message.type === 'streaming') {
        queue.push({ type: 'streaming', data: { runId: conversationId, ...message.data } });
      } else {
        queue.push(message);
        take(message.data);
      }
    }
  };
  followRun(state.activeRunId, runs[state.activeRunId ?? '']?.lastSeq);
  followTalk().catch(queue.end);
  yield* queue.read();
}

interface RunFollowerParts {
  readonly signal: AbortSignal;
  readonly queue: MessageQueue<ConversationMessage>;
  readonly connections: Connections;
  readonly waiting: Pick<FollowOptions, 'firstWaitMs'>;
}

/** Follows one run at a time: a browser keeps few connections to one server. */
function createRunFollower(client: ApiClient, { signal, queue, connections, waiting }: RunFollowerParts) {
  let followed: { readonly runId: string; readonly stop: AbortController } | undefined;

  const follow = async (runId: string, after: number | undefined, stopped: AbortSignal): Promise<void> => {
    const query = after === undefined ? {} : { after: String(after) };
    const options = { signal: AbortSignal.any([signal, stopped]), onState: connections.open(runId) };
    for await (const message of client.runs.events({ runId, query }, options)) {
      if (stopped.aborted) return;
      if (message.type === 'snapshot') queue.push({ type: 'run', data: message.data.view });
      else if (message.type === 'event') queue.push(message);
      else queue.push({ type: 'streaming', data: { runId, ...message.data } });
    }
  };
  const lookOnce = async (runId: string): Promise<void> => {
    const ask = () => client.runs.show({ runId }, { signal });
    const { view } = await askUntilAnswered(ask, { signal, ...waiting });
    if (followed?.runId !== runId) queue.push({ type: 'run', data: view });
  };

  return (runId: string | undefined, after?: number): void => {
    if (followed?.runId === runId) return;
    if (followed) {
      followed.stop.abort();
      connections.close(followed.runId);
      // One that is not there any more has no last words; what is followed goes on.
      lookOnce(followed.runId).catch(() => undefined);
    }
    const stop = new AbortController();
    followed = runId === undefined ? undefined : { runId, stop };
    if (runId !== undefined) follow(runId, after, stop.signal).catch(queue.end);
  };
}

interface Connections {
  readonly open: (name: string) => (state: 'open' | 'broken') => void;
  readonly close: (name: string) => void;
}

/** Open only when all of them are. */
function createConnections(onState: (state: 'open' | 'broken') => void): Connections {
  const broken = new Set<string>();
  const tell = (): void => onState(broken.size === 0 ? 'open' : 'broken');
  return {
    open: (name) => (state) => {
      if (state === 'open') broken.delete(name);
      else broken.add(name);
      tell();
    },
    close: (name) => {
      if (broken.delete(name)) tell();
    },
  };
}
