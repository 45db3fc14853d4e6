import type { ApiClient } from '@crewagent/protocol/api/client';
import { createRunView } from '@crewagent/protocol/run-view';
import { describe, expect, it } from 'vitest';
import { agentStoryLog, conversationIdOf } from '../testing/logs.ts';
import { followConversation } from './follow-conversation.ts';
import { createMessageQueue } from './message-queue.ts';

const conversationId = conversationIdOf(agentStoryLog);
const entered = agentStoryLog.find(({ type }) => type === 'run.entered');
if (entered?.type !== 'run.entered') throw new Error('The log enters no run.');
const runId = entered.enteredRunId;

/** The wire, with streams that are filled by hand. */
function createWire() {
  const talk = createMessageQueue<unknown>();
  const run = createMessageQueue<unknown>();
  const asked: string[] = [];
  const client = {
    conversations: {
      show: () =>
        Promise.resolve({
          state: { kind: 'agent', runIds: [] },
          talk: { ...createRunView(conversationId), lastSeq: 2 },
          runs: {},
        }),
      events: ({ query }: { query: { after: string } }) => {
        asked.push(`talk after ${query.after}`);
        return talk.read();
      },
    },
    runs: {
      events: () => {
        asked.push('run');
        return run.read();
      },
      show: () => Promise.resolve({ view: { ...createRunView(runId), lastSeq: 99 } }),
    },
  };
  return { talk, run, asked, client: client as unknown as ApiClient };
}

describe('following a conversation', () => {
  it('[U44] follows the run that is entered, and looks once more at one that was left', async () => {
    const { talk, run, asked, client } = createWire();
    const controller = new AbortController();
    const stream = followConversation(client, conversationId, {
      signal: controller.signal,
      onState: () => undefined,
    });
    const next = async () => (await stream.next()).value;
    expect(await next()).toMatchObject({ type: 'snapshot' });
    talk.push({ type: 'event', data: entered });
    expect(await next()).toEqual({ type: 'event', data: entered });
    run.push({ type: 'streaming', data: { text: 'a', reasoning: '' } });
    expect(await next()).toEqual({ type: 'streaming', data: { runId, text: 'a', reasoning: '' } });
    expect(asked).toEqual(['talk after 2', 'run']);
    talk.push({ type: 'event', data: { type: 'run.left', leftRunId: runId } });
    expect(await next()).toMatchObject({ type: 'event', data: { type: 'run.left' } });
    expect(await next()).toMatchObject({ type: 'run', data: { runId, lastSeq: 99 } });
    controller.abort();
    expect(await next()).toBeUndefined();
  });

  it('[U44] ends with what the server says when it cannot be followed', async () => {
    const { talk, client } = createWire();
    const stream = followConversation(client, conversationId, {
      signal: new AbortController().signal,
      onState: () => undefined,
    });
    await stream.next();
    talk.end(new Error('It is gone.'));
    await expect(stream.next()).rejects.toThrow('It is gone.');
  });
});
